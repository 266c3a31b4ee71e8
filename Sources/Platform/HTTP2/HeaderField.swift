/// One header field or pseudo header field (RFC 9113 section 8.3), its name in lower case.
public struct HeaderField: Equatable, Sendable {
    /// What HPACK may do with a field (RFC 7541 section 6.2).
    public enum Indexing: Sendable {
        /// The compressor decides, which for most fields means: keep it for the next request.
        case incremental
        /// Not kept by either side: for values that don't come back, so that they don't push out those that do.
        case never
    }

    /// The name, such as `:path` or `apns-topic`.
    public var name: String
    /// The value; bytes from a peer that aren't UTF-8 arrive as U+FFFD.
    public var value: String
    /// What HPACK may do with the field; only of interest when sending.
    public var indexing: Indexing

    /// Makes a field.
    public init(_ name: String, _ value: String, indexing: Indexing = .incremental) {
        self.name = name
        self.value = value
        self.indexing = indexing
    }
}

extension Sequence<HeaderField> {
    /// The first value under this name, or nil.
    public subscript(name: String) -> String? { first { $0.name == name }?.value }
}
