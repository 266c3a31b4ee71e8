/// Base64 (RFC 4648 section 4), and its form in folder names (RFC 3501 section 5.1.3).
public enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes bytes, with padding.
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let text = digits(bytes)
        return text + Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    }

    /// Encodes bytes without padding.
    static func digits(_ bytes: [UInt8], last: UInt8 = UInt8(ascii: "/")) -> [UInt8] {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        func digit(_ value: UInt32) {
            let place = Int(value & 63)
            text.append(place == 63 ? last : alphabet[place])
        }
        for byte in bytes {
            bits = (bits & 63) << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                digit(bits >> count)
            }
        }
        if count > 0 { digit(bits << (6 - count)) }
        return text
    }
}
