internal import Glibc

extension SocketAddress {
    /// The address of a server on this machine: `127.0.0.1:PORT`, `[::1]:PORT`, or the absolute path of a socket.
    ///
    /// Nil for anything else: what is said there isn't encrypted.
    public init?(local text: String) {
        if text.hasPrefix("/") {
            self.init(path: text)
        } else if let port = Self.port(of: text, behind: "127.0.0.1:") {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr = in_addr(s_addr: INADDR_LOOPBACK.bigEndian)
            self.init(bytes: withUnsafeBytes(of: address, Array.init))
        } else if let port = Self.port(of: text, behind: "[::1]:") {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            self.init(bytes: withUnsafeBytes(of: address, Array.init))
        } else {
            return nil
        }
    }

    private init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(path.utf8)
        // With the NUL behind it (unix(7)).
        guard path.count < MemoryLayout.size(ofValue: address.sun_path), !path.contains(0) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        self.init(bytes: withUnsafeBytes(of: address, Array.init))
    }

    private static func port(of text: String, behind host: String) -> UInt16? {
        let digits = text.dropFirst(host.count)
        guard text.hasPrefix(host), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(digits).flatMap { $0 == 0 ? nil : $0 }
    }
}
