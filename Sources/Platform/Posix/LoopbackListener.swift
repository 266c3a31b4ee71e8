internal import Glibc

/// A TCP socket that takes connections from this machine only, for simulators and tests.
public struct LoopbackListener: ~Copyable {
    private let socket: FileDescriptor
    /// The port it listens on.
    public let port: UInt16

    /// Listens on 127.0.0.1; port 0 takes any free one.
    public init(port: UInt16) throws(SystemCallError) {
        let socket = FileDescriptor(
            owning: try systemCall("socket", "TCP") {
                Glibc.socket(
                    AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            })
        let number = socket.rawValue
        let subject = "127.0.0.1:\(port)"
        var on: CInt = 1
        // So that a port can be had again while old connections fade.
        _ = try systemCall("setsockopt", subject) {
            setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: INADDR_LOOPBACK.bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = try systemCall("bind", subject) { withSocketAddress(&address) { bind(number, $0, length) } }
        _ = try systemCall("listen", subject) { listen(number, 64) }
        _ = try systemCall("getsockname", subject) {
            withSocketAddress(&address) { getsockname(number, $0, &length) }
        }
        self.port = UInt16(bigEndian: address.sin_port)
        self.socket = socket
    }

    /// What to poll(2) for reading.
    public var rawValue: CInt { socket.rawValue }

    /// Takes the next connection, or gives nil when there is none.
    public func accept() throws(SystemCallError) -> StreamSocket? {
        guard let number = try acceptedNumber() else { return nil }
        return try StreamSocket(
            accepted: FileDescriptor(owning: number, named: "connection to 127.0.0.1:\(port)"))
    }

    private func acceptedNumber() throws(SystemCallError) -> CInt? {
        let number = socket.rawValue
        do throws(SystemCallError) {
            return try systemCall("accept", "127.0.0.1:\(port)") { Glibc.accept(number, nil, nil) }
        } catch  where error.errno == .again || error.errno == Errno(rawValue: ECONNABORTED) {
            return nil
        }
    }
}

private func withSocketAddress<Result>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
}
