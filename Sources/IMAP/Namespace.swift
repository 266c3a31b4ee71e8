/// Where an account's folders lie (RFC 2342).
public struct Namespace: Equatable, Sendable {
    /// What stands before each name, encoded as it came.
    public var prefix: [UInt8]
    /// What stands between the levels of a name; nil: there are none.
    public var separator: UInt8?

    /// Puts a namespace together.
    public init(prefix: [UInt8], separator: UInt8?) {
        self.prefix = prefix
        self.separator = separator
    }
}
