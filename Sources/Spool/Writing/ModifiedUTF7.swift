/// The encoding of folder names in IMAP and Maildir++ (RFC 3501 section 5.1.3).
public enum ModifiedUTF7 {
    /// Gives the name as UTF-8, or nil when `name` isn't in this encoding.
    public static func decode(_ name: [UInt8]) -> [UInt8]? {
        var decoded: [UInt8] = []
        var rest = name[...]
        while let byte = rest.popFirst() {
            guard (0x20...0x7E).contains(byte) else { return nil }
            guard byte == UInt8(ascii: "&") else {
                decoded.append(byte)
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: "-")) else { return nil }
            if end == rest.startIndex {
                decoded.append(byte)
            } else {
                guard let utf16 = units(rest[..<end]), append(utf16, to: &decoded) else { return nil }
            }
            rest = rest[(end + 1)...]
        }
        return decoded
    }

    /// Base64 with "," for "/" and without padding, as UTF-16 units; left-over bits must be zero.
    private static func units(_ base64: ArraySlice<UInt8>) -> [UInt16]? {
        var units: [UInt16] = []
        var bits: UInt32 = 0
        var count = 0
        for character in base64 {
            guard let value = sixBits(character) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 16 {
                count -= 16
                units.append(UInt16(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= 1 << UInt32(count) - 1
            }
        }
        return count < 6 && bits == 0 ? units : nil
    }

    private static func sixBits(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: ","): 63
        default: nil
        }
    }

    private static func append(_ utf16: [UInt16], to utf8: inout [UInt8]) -> Bool {
        let failed = transcode(
            utf16.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true,
            into: { utf8.append($0) })
        return !failed
    }
}
