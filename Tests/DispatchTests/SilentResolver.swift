import Foundation
import Glibc
import TestSupport

/// A name server that hears questions and answers none.
///
/// Needs root: it listens on port 53 of an address of its own.
final class SilentResolver {
    private static let address = "127.77.77.77"
    private let socket: CInt
    /// What a program finds in /etc/resolv.conf when `around` has started it.
    private let configuration: String

    init(in directory: TemporaryDirectory) throws {
        let socket = Glibc.socket(AF_INET, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(53).bigEndian
        inet_pton(AF_INET, Self.address, &name.sin_addr)
        let bound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.socket = socket
        configuration = try directory.write("resolv.conf", "nameserver \(Self.address)\n")
    }

    deinit { close(socket) }

    /// Waits for a question; false when none comes.
    func hears(within milliseconds: CInt = 30_000) -> Bool {
        var entry = pollfd(fd: socket, events: CShort(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) == 1
    }

    /// Starts a program that asks this name server and no other.
    func start(_ program: String, _ arguments: [String], environment: [String: String]) throws
        -> RunningProgram
    {
        let script = #"mount --bind "$0" /etc/resolv.conf && exec "$@""#
        return try RunningProgram(
            "/usr/bin/unshare", ["--mount", "/bin/sh", "-c", script, configuration, program] + arguments,
            environment: environment)
    }
}
