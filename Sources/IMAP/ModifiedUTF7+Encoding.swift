public import Spool

extension ModifiedUTF7 {
    /// Gives a folder's name as it goes over the wire: printable ASCII, whatever the name holds.
    public static func encode(_ name: String) -> [UInt8] {
        var encoded: [UInt8] = []
        var pending: [UInt8] = []
        func flush() {
            guard !pending.isEmpty else { return }
            encoded.append(UInt8(ascii: "&"))
            encoded += Base64.digits(pending, last: UInt8(ascii: ","))
            encoded.append(UInt8(ascii: "-"))
            pending = []
        }
        for scalar in name.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value), (0x20...0x7E).contains(byte) else {
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                    pending += [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
                }
                continue
            }
            flush()
            encoded.append(byte)
            if byte == UInt8(ascii: "&") { encoded.append(UInt8(ascii: "-")) }
        }
        flush()
        return encoded
    }
}
