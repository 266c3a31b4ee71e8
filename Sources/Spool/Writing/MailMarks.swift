/// What a mail's header says it is, besides mail from somebody: a closed set, so that nothing of the mail itself is told.
public struct MailMarks: OptionSet, Sendable {
    /// A bit for each mark; entries have names instead.
    public let rawValue: UInt8

    /// Takes the marks of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A filter took it for spam.
    public static let spam = MailMarks(rawValue: 1)
    /// Nobody has sent it: a bounce, or another answer to nobody.
    public static let bounce = MailMarks(rawValue: 2)
    /// A report about a domain's mail: DMARC or TLS.
    public static let report = MailMarks(rawValue: 4)
    /// It asks not to ring.
    public static let asked = MailMarks(rawValue: 8)
    /// A mailing list's.
    public static let list = MailMarks(rawValue: 16)
    /// Sent to many, or by a machine.
    public static let bulk = MailMarks(rawValue: 32)

    /// Each with the name that entries have for it.
    static let names: [(mark: MailMarks, name: StaticString)] = [
        (.spam, "spam"), (.bounce, "bounce"), (.report, "report"), (.asked, "asked"), (.list, "list"),
        (.bulk, "bulk"),
    ]

    /// As an entry has them: names with commas between.
    var text: [UInt8] {
        var text: [UInt8] = []
        for (mark, name) in Self.names where contains(mark) {
            if !text.isEmpty { text.append(UInt8(ascii: ",")) }
            text += bytes(name)
        }
        return text
    }
}
