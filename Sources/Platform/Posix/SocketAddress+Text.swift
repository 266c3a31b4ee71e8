internal import Glibc

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:143`, `[::1]:143`, or a socket's path.
    public var description: String {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var service = host
        let result = bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                getnameinfo(
                    address.baseAddress, socklen_t(bytes.count), &host, socklen_t(host.count), &service,
                    socklen_t(service.count), NI_NUMERICHOST | NI_NUMERICSERV)
            }
        }
        guard result == 0 else { return "unknown" }
        let (name, place) = (Self.text(host), Self.text(service))
        switch family {
        case AF_UNIX: return place
        case AF_INET6: return "[\(name)]:\(place)"
        default: return "\(name):\(place)"
        }
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
