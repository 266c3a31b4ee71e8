/// The contract's bounds, one copy for the writer and the reader.
extension SpoolEntry {
    /// The version of the format.
    public static let version: Int64 = 1
    /// The most bytes an entry's file may have, its newline included.
    public static let maximumSize = 4096
    /// The most bytes of a user's name: LOGIN_NAME_MAX of limits.h.
    public static let maximumUserLength = 256
    /// The most bytes of a folder's name.
    public static let maximumFolderLength = 1000
    /// The most bytes of a Message-ID.
    public static let maximumMessageIDLength = 250
    /// The most bytes of a file's base name: NAME_MAX of limits.h.
    public static let maximumFiledLength = 255
    /// The most bytes of a recipient's address: a path of SMTP without its brackets (RFC 5321 section 4.5.3.1.3).
    public static let maximumRecipientLength = 254
    /// The latest time in milliseconds since the epoch: 2^53, up to which every JSON reader is exact.
    public static let latestTime: Int64 = 1 << 53

    /// Tells whether `name` can be a user's: 1 to 256 bytes of UTF-8 without control characters.
    public static func isUser(_ name: [UInt8]) -> Bool { isText(name, upTo: maximumUserLength) }

    /// Tells whether `name` can be a folder's: 1 to 1,000 bytes of UTF-8 without control characters.
    public static func isFolder(_ name: [UInt8]) -> Bool { isText(name, upTo: maximumFolderLength) }

    /// Tells whether `name` can be a file's base name: 1 to 255 bytes of UTF-8, no control character, no slash.
    public static func isFiled(_ name: [UInt8]) -> Bool {
        isText(name, upTo: maximumFiledLength) && !name.contains(UInt8(ascii: "/"))
    }

    /// Tells whether `text` can be a Message-ID: 1 to 250 bytes of 0x21 to 0x7E.
    public static func isMessageID(_ text: [UInt8]) -> Bool {
        (1...maximumMessageIDLength).contains(text.count) && text.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Tells whether `text` can be a recipient: 1 to 254 bytes of 0x21 to 0x7E, but for the two that need an escape.
    public static func isRecipient(_ text: [UInt8]) -> Bool {
        (1...maximumRecipientLength).contains(text.count)
            && text.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }

    /// Control characters are those of Unicode's category Cc: a terminal obeys U+0080 to U+009F too.
    private static func isText(_ bytes: [UInt8], upTo limit: Int) -> Bool {
        guard (1...limit).contains(bytes.count) else { return false }
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        while true {
            switch parser.parseScalar(from: &rest) {
            case .emptyInput: return true
            case .error: return false
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded).value
                if scalar < 0x20 || (0x7F...0x9F).contains(scalar) { return false }
            }
        }
    }
}
