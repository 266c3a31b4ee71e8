internal import Glibc

/// An address as the kernel takes it (a sockaddr_in, sockaddr_in6 or sockaddr_un).
public struct SocketAddress: Equatable, Sendable {
    /// The structure's bytes.
    public let bytes: [UInt8]

    /// Wraps the bytes of a sockaddr; nil when they are too few to name a family or too many.
    public init?(bytes: [UInt8]) {
        guard bytes.count >= MemoryLayout<sa_family_t>.size,
            bytes.count <= MemoryLayout<sockaddr_storage>.size
        else { return nil }
        self.bytes = bytes
    }

    /// AF_INET, AF_INET6 or what else the bytes say.
    var family: CInt { CInt(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) }) }
}
