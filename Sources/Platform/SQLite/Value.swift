/// A value bound to a parameter of a statement.
public enum Value: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// A number, or NULL; one beyond 64 bits binds as the nearest that fits.
    public init(_ number: (some FixedWidthInteger)?) {
        self = number.map { .integer(Int64(clamping: $0)) } ?? .null
    }

    /// A text, or NULL.
    public init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }

    /// Bytes, or NULL.
    public init(_ bytes: [UInt8]?) {
        self = bytes.map { .blob($0) } ?? .null
    }
}
