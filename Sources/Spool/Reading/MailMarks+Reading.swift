extension MailMarks {
    /// Reads what an entry has; names that aren't known count for nothing, so that there can be more.
    init(text: [UInt8]) {
        self = []
        for word in text.split(separator: UInt8(ascii: ",")) {
            for (mark, name) in Self.names where Array(word).equals(name) { insert(mark) }
        }
    }
}
