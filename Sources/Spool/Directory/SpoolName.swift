internal import Spool

/// The name of a file in the spool: bytes, because anybody may have chosen them.
public struct SpoolName: Hashable, Comparable, Sendable {
    /// The name, without a NUL at the end.
    public let bytes: [UInt8]

    /// Wraps a name.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Whether it is a temporary one: an entry that is still being written, or was never finished.
    public var isTemporary: Bool { bytes.first == SpoolTemporary.prefix }

    /// The name as it is shown, different for every name: percent-encoded (RFC 3986), so that no byte of it means
    /// anything to a terminal, a shell or a reader of lines.
    public var text: String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if Self.isPlain(byte, isFirst: index == 0) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
            }
        }
        return text
    }

    /// Letters, digits and what else is usual in names; a dash in front would make an option of it.
    private static func isPlain(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        case UInt8(ascii: "-"): !isFirst
        default: false
        }
    }

    /// The order of names is the order of time, because the hook's names start with it.
    public static func < (left: SpoolName, right: SpoolName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
