/// The header fields that are looked for in a mail.
enum SoughtField {
    case messageID
    /// The envelope's sender, whom the last mail server writes down; the mbox line `From ` tells him too.
    case sender
    /// The envelope's recipient.
    case recipient
    case to
    case contentType
    case subject
    case tlsReport
    case spam
    case doorbell
    case precedence
    case autoSubmitted
    case listID

    /// Their names in small letters.
    private static let names: [(name: StaticString, field: SoughtField)] = [
        ("message-id", .messageID), ("return-path", .sender), ("to", .to), ("subject", .subject),
        ("content-type", .contentType), ("x-doorbell", .doorbell), ("list-id", .listID),
        ("precedence", .precedence), ("auto-submitted", .autoSubmitted), ("tls-report-domain", .tlsReport),
        // SpamAssassin's, and Rspamd's.
        ("x-spam-flag", .spam), ("x-spam", .spam),
        // Postfix's, which names the address that aliases led from; Exim's; and what others have.
        ("x-original-to", .recipient), ("envelope-to", .recipient), ("delivered-to", .recipient),
    ]
    /// The length of the longest of them.
    static let longestName = 17

    /// Finds the field by its name in small letters; nil when it isn't looked for.
    init?(_ name: [UInt8]) {
        for known in Self.names where name.equals(known.name) {
            self = known.field
            return
        }
        return nil
    }
}
