/// A command as it goes over the wire: pieces, each but the first sent once the server says `+`.
public struct CommandText: Equatable, Sendable {
    /// The longest text that is sent in quotes; others are literals.
    private static let longestQuoted = 100
    /// The longest literal that LITERAL- lets through (RFC 7888 section 5).
    private static let longestFreeLiteral = 4096

    /// The pieces, at least one.
    public private(set) var pieces: [[UInt8]] = [[]]
    private let capabilities: Capabilities

    /// Writes a command.
    ///
    /// Names and Message-IDs are a stranger's: they go as literals, in quotes only where every byte is harmless, and
    /// one with CR, LF or NUL doesn't go at all.
    ///
    /// - Throws: `unsayable` for such a text, and for one that is empty.
    public init(_ command: Command, tag: [UInt8], _ capabilities: Capabilities) throws(IMAPFault) {
        self.capabilities = capabilities
        append(tag)
        append(" ")
        switch command {
        case .authenticate(let account, let login):
            append("AUTHENTICATE PLAIN")
            if capabilities.contains(.initialResponse) { append(" ") } else { waitForServer() }
            append(Base64.encode(try login.message(for: account)))
        case .namespace: append("NAMESPACE")
        case .examine(let folder):
            append("EXAMINE ")
            try append(string: folder)
        case .search(let key, let first):
            append("UID SEARCH UID \(first):* ")
            switch key {
            case .guid(let guid):
                append("X-GUID ")
                try append(string: guid)
            case .messageID(let id):
                append("HEADER Message-ID ")
                try append(string: id)
            }
        case .fetch(let uids):
            guard !uids.isEmpty else { throw .unsayable }
            append("UID FETCH \(uids.map(String.init).joined(separator: ",")) ")
            append("(UID INTERNALDATE BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]<0.\(Command.headerLength)>)")
        case .noop: append("NOOP")
        case .logout: append("LOGOUT")
        }
        append("\r\n")
    }

    private mutating func append(_ text: String) { append(Array(text.utf8)) }

    private mutating func append(_ bytes: [UInt8]) { pieces[pieces.count - 1] += bytes }

    private mutating func waitForServer() {
        append("\r\n")
        pieces.append([])
    }

    /// Writes a string (RFC 3501 section 4.3).
    private mutating func append(string: [UInt8]) throws(IMAPFault) {
        guard !string.isEmpty, !string.contains(where: { [0x00, 0x0A, 0x0D].contains($0) }) else {
            throw .unsayable
        }
        if string.count <= Self.longestQuoted, string.allSatisfy(Self.isHarmless) {
            append("\"")
            append(string)
            append("\"")
            return
        }
        let needsNoLeave =
            capabilities.contains(.literalPlus)
            || capabilities.contains(.literalMinus) && string.count <= Self.longestFreeLiteral
        append("{\(string.count)\(needsNoLeave ? "+" : "")}")
        if needsNoLeave { append("\r\n") } else { waitForServer() }
        append(string)
    }

    private static func isHarmless(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "<>@.-_=+/$&, ".utf8.contains(byte)
        }
    }
}
