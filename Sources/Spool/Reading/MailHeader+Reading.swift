extension MailHeader: Equatable {
    /// Whether both tell the same.
    public static func == (one: MailHeader, other: MailHeader) -> Bool {
        one.messageID == other.messageID && one.marks == other.marks && one.recipient == other.recipient
    }
}
