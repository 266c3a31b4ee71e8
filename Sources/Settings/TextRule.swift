/// What a text in the configuration has to look like, and how to say so.
struct TextRule: Sendable {
    /// Completes "must be …".
    let wanted: String
    let isMet: @Sendable (String) -> Bool

    /// A daemon's working directory is nobody's business, so that a relative path means nothing.
    static let absolutePath = TextRule(wanted: "an absolute path without a slash at the end") { text in
        text.utf8.count > 1 && text.hasPrefix("/") && !text.hasSuffix("/")
            && text.utf8.allSatisfy { $0 >= 0x20 }
    }

    /// Key ids and team ids, which Apple makes.
    static let identifier = TextRule(wanted: "Apple's 10 capital letters and digits") { text in
        text.utf8.count == 10 && text.utf8.allSatisfy { isDigit($0) || isCapital($0) }
    }

    /// A bundle identifier, perhaps with one of Apple's suffixes; it ends up in a header and in metrics.
    static let topic = TextRule(wanted: "a bundle id: 1 to 255 letters, digits, dots and hyphens") { text in
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                isDigit($0) || isCapital($0) || isCapital($0 &- 0x20) || $0 == 0x2E || $0 == 0x2D
            }
    }

    /// A user's name in Dovecot.
    static let userName = TextRule(wanted: "1 to 255 visible ASCII characters") { text in
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// What stands behind a name's `@`.
    static let domain = TextRule(
        wanted: "a domain: 1 to 255 letters, digits, dots and hyphens", isMet: topic.isMet)

    /// The spool's contract allows a folder no more.
    static let folder = TextRule(wanted: "folder names: 1 to 1000 bytes without control characters") { text in
        (1...1000).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Of a recipient or several, as mail servers write them down.
    static let recipient = TextRule(wanted: "addresses, such as root, @example.org or root@example.org") {
        text in
        // There are no patterns: what could be meant as one, or as several addresses, would never be met.
        (1...254).contains(text.utf8.count) && !text.hasSuffix("@")
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"*,<>\"\\".utf8.contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
}
