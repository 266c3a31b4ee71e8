/// Writes one JSON text as bytes, in the order it is told and without white space (RFC 8259).
///
/// Compiled twice: as part of module `JSON`, and inside the Embedded hook. So it works on bytes, compares no
/// `String` and imports nothing. Commas are its own business; balance of begin and end is the caller's.
public struct JSONText {
    /// What has been written so far.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Starts an empty text.
    public init() {}

    /// Opens an object, as a value of its own or after `key`.
    public mutating func beginObject() { open("{") }

    /// Closes the innermost object.
    public mutating func endObject() { close("}") }

    /// Opens an array, as a value of its own or after `key`.
    public mutating func beginArray() { open("[") }

    /// Closes the innermost array.
    public mutating func endArray() { close("]") }

    /// Writes a member's name; exactly one value must follow.
    ///
    /// The name must need no escape.
    public mutating func key(_ name: StaticString) {
        separate()
        append("\"")
        append(name)
        append("\":")
    }

    /// Writes a string of UTF-8 bytes.
    ///
    /// What isn't UTF-8 is the caller's fault and passes as it is.
    public mutating func string(_ utf8: some Sequence<UInt8>) {
        separate()
        append("\"")
        for byte in utf8 { escape(byte) }
        append("\"")
        needsComma = true
    }

    /// Writes a whole number.
    public mutating func integer(_ value: Int64) {
        separate()
        if value < 0 { append("-") }
        var digits: [UInt8] = []
        var rest = value.magnitude
        repeat {
            digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes.append(contentsOf: digits.reversed())
        needsComma = true
    }

    /// Writes `true` or `false`.
    public mutating func boolean(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
        needsComma = true
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        append("null")
        needsComma = true
    }

    private mutating func open(_ bracket: StaticString) {
        separate()
        append(bracket)
    }

    private mutating func close(_ bracket: StaticString) {
        append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { append(",") }
        needsComma = false
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// RFC 8259 section 7: quote, backslash and control characters must be escaped; DEL is too, for terminals.
    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0..<0x20, 0x7F:
            append("\\u00")
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 0xF))
        default: bytes.append(byte)
        }
    }

    private func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
