internal import Glibc

/// A connection of TCP, or to a socket of this machine, that never makes its user wait; closed when its owner lets it
/// go.
public final class StreamSocket {
    private let descriptor: FileDescriptor
    /// What was to be sent and the kernel hasn't taken yet.
    private var unsent: [UInt8] = []

    /// Starts to connect, close-on-exec and without Nagle's delay.
    ///
    /// Writable then means that it is done one way or the other; `connectionError` tells which.
    public init(connectingTo address: SocketAddress) throws(SystemCallError) {
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let number = try systemCall("socket", "family \(address.family)") {
            socket(address.family, CInt(kind), 0)
        }
        descriptor = FileDescriptor(owning: number, named: "peer")
        if address.family != AF_UNIX { try Self.sendWithoutDelay(number) }
        let result = address.bytes.withUnsafeBytes { buffer in
            buffer.withMemoryRebound(to: sockaddr.self) { address in
                connect(number, address.baseAddress, socklen_t(buffer.count))
            }
        }
        let errno = Errno.current
        // Interrupted counts as begun: connect(2) goes on by itself.
        guard result == 0 || errno == .inProgress || errno == .interrupted else {
            throw SystemCallError(call: "connect", subject: "peer", errno: errno)
        }
    }

    /// Takes over a connection that accept(2) gave: close-on-exec and without Nagle's delay as well.
    public init(accepted descriptor: consuming FileDescriptor) throws(SystemCallError) {
        let number = descriptor.rawValue
        self.descriptor = descriptor
        _ = try systemCall("fcntl", "F_SETFD") { fcntl(number, F_SETFD, FD_CLOEXEC) }
        _ = try systemCall("fcntl", "F_SETFL") { fcntl(number, F_SETFL, O_NONBLOCK) }
        try Self.sendWithoutDelay(number)
    }

    private static func sendWithoutDelay(_ number: CInt) throws(SystemCallError) {
        var on: CInt = 1
        _ = try systemCall("setsockopt", "TCP_NODELAY") {
            setsockopt(number, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    /// What to poll(2).
    public var rawValue: CInt { descriptor.rawValue }

    /// Why connecting failed, nil when it didn't (SO_ERROR in socket(7)).
    public var connectionError: SystemCallError? {
        var code: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(rawValue, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            return SystemCallError(call: "getsockopt", subject: "SO_ERROR", errno: .current)
        }
        return code == 0
            ? nil : SystemCallError(call: "connect", subject: "peer", errno: Errno(rawValue: code))
    }

    /// Whether writability is worth waiting for.
    public var hasUnsent: Bool { !unsent.isEmpty }

    /// Sends these bytes behind those still unsent, as far as the kernel takes them now.
    public func send(_ bytes: [UInt8]) throws(SystemCallError) {
        unsent += bytes
        while !unsent.isEmpty {
            do throws(SystemCallError) {
                unsent.removeFirst(try descriptor.write(unsent))
            } catch {
                guard error.errno == .again else { throw error }
                return
            }
        }
    }

    /// Reads what has arrived: nil when that is nothing, empty when the peer has closed.
    public func receive(upTo count: Int) throws(SystemCallError) -> [UInt8]? {
        do throws(SystemCallError) {
            return try descriptor.read(upTo: count)
        } catch {
            guard error.errno == .again else { throw error }
            return nil
        }
    }
}
