public import Posix
internal import Glibc

/// A TCP port of 127.0.0.1 that the kernel chose; nobody listens there until `listen`.
public struct LoopbackPort: ~Copyable {
    /// The socket that has the port.
    public let socket: FileDescriptor
    /// Where to reach it.
    public let address: SocketAddress
    /// Its number.
    public let number: UInt16

    /// Takes one; throws `SystemCallError`.
    public init() throws {
        let socket = FileDescriptor(
            owning: try systemCall("socket", "a port") {
                Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            })
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = socket.rawValue
        try withUnsafeMutableBytes(of: &name) { bytes in
            try bytes.withMemoryRebound(to: sockaddr.self) { name in
                _ = try systemCall("bind", "a port") { bind(number, name.baseAddress, length) }
                _ = try systemCall("getsockname", "a port") { getsockname(number, name.baseAddress, &length) }
            }
        }
        guard let address = SocketAddress(bytes: withUnsafeBytes(of: name) { Array($0) }) else {
            throw SystemCallError(call: "getsockname", subject: "a port", errno: .init(rawValue: EINVAL))
        }
        self.socket = socket
        self.address = address
        self.number = UInt16(bigEndian: name.sin_port)
    }

    /// Has the kernel take connections; throws `SystemCallError`.
    public func listen(backlog: CInt = 1) throws {
        _ = try systemCall("listen", "a port") { Glibc.listen(socket.rawValue, backlog) }
    }

    /// Waits for a connection and takes it; throws `SystemCallError`.
    public func accept() throws -> FileDescriptor {
        FileDescriptor(owning: try systemCall("accept", "a port") { Glibc.accept(socket.rawValue, nil, nil) })
    }
}
