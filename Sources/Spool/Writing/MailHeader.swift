/// What a mail's header tells that matters here, and nothing else of it.
public struct MailHeader: Sendable {
    private var identifier: [UInt8]?
    private var envelopeRecipient: [UInt8]?
    private var addressee: [UInt8]?
    /// What it says the mail is.
    public private(set) var marks: MailMarks = []

    /// The Message-ID: 1 to 250 bytes of 0x21 to 0x7E, else nothing.
    public var messageID: [UInt8] { identifier ?? [] }

    /// Whom the mail was sent to, as `SpoolEntry.isRecipient` allows it, else nothing: by the envelope as the last mail
    /// server wrote it down, else by `To`.
    public var recipient: [UInt8] { envelopeRecipient ?? addressee ?? [] }

    /// Takes a field's whole value: unfolded, blanks in a row as one, cut at `MessageHeaderReader.maximumLength`.
    mutating func take(_ field: SoughtField, _ value: [UInt8]) {
        switch field {
        // Of these the first counts, even one that is no use.
        case .messageID: if identifier == nil { identifier = Self.identifier(value) }
        case .recipient: if envelopeRecipient == nil { envelopeRecipient = Self.recipient(value) }
        case .to: if addressee == nil { addressee = Self.recipient(value) }
        default: marks.formUnion(Self.marks(field, value.map { $0.lowered }))
        }
    }

    /// The identifier without the comment behind it (RFC 5322 section 3.6.4); white space within is none of it.
    private static func identifier(_ value: [UInt8]) -> [UInt8] {
        let identifier = Array(value.prefix { $0 != UInt8(ascii: " ") })
        let behind = value.dropFirst(identifier.count + 1).first
        guard behind == nil || behind == UInt8(ascii: "("), SpoolEntry.isMessageID(identifier) else {
            return []
        }
        return identifier
    }

    private static func recipient(_ value: [UInt8]) -> [UInt8] {
        let address = address(in: value)
        // A cut one would be another one.
        guard value.count < MessageHeaderReader.maximumLength, SpoolEntry.isRecipient(address) else {
            return []
        }
        return address
    }

    /// The first address: what angle brackets hold, or the first word.
    private static func address(in value: [UInt8]) -> [UInt8] {
        guard let bracket = value.firstIndex(of: UInt8(ascii: "<")) else { return word(of: value) }
        return Array(value[(bracket + 1)...].prefix { $0 != UInt8(ascii: ">") })
    }

    /// What stands before a blank, a separator or a comment.
    private static func word(of value: [UInt8]) -> [UInt8] {
        Array(
            value.prefix {
                switch $0 {
                case UInt8(ascii: " "), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "("): false
                default: true
                }
            })
    }

    private static func marks(_ field: SoughtField, _ value: [UInt8]) -> MailMarks {
        let word = word(of: value)
        return switch field {
        case .sender: isNobody(value) ? .bounce : []
        // Delivery reports, and others that a mail has caused (RFC 6522).
        case .contentType: word.equals("multipart/report") ? .bounce : []
        case .subject: isOfReport(value) ? .report : []
        // RFC 8460 section 5.3.
        case .tlsReport: .report
        case .spam: word.equals("yes") ? .spam : []
        case .doorbell: word.equals("no") ? .asked : []
        case .precedence: word.equals("bulk") || word.equals("list") || word.equals("junk") ? .bulk : []
        // RFC 3834 section 5.
        case .autoSubmitted: word.isEmpty || word.equals("no") ? [] : .bulk
        // RFC 2919.
        case .listID: value.isEmpty ? [] : .list
        case .messageID, .recipient, .to: []
        }
    }

    /// Whether a subject is that of DMARC's aggregates: by RFC 7489 section 7.2.1.1 or as Microsoft writes it, which
    /// encodes it (RFC 2047), with `[Preview]` before it or without.
    private static func isOfReport(_ subject: [UInt8]) -> Bool {
        let starts: [StaticString] = [
            "report domain:", "=?utf-8?b?umvwb3j0iervbwfpbjo", "[preview] report domain:",
            "=?utf-8?b?w1byzxzpzxddifjlcg9ydcbeb21haw46",
        ]
        return starts.contains { subject.starts(with: bytes($0)) }
    }

    /// Whether the envelope had no sender, `<>`, for which some write MAILER-DAEMON.
    private static func isNobody(_ value: [UInt8]) -> Bool {
        guard !value.isEmpty else { return false }
        let name = address(in: value).prefix { $0 != UInt8(ascii: "@") }
        return name.isEmpty || Array(name).equals("mailer-daemon")
    }
}
