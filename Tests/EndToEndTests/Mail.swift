/// A mail of which every word is random, so that each can be looked for where it must not be.
struct Mail: Sendable {
    let sender = "\(word())@\(word()).example"
    let recipient = "\(word())@\(word()).example"
    let subject = "\(word()) \(word())"
    let messageID = "\(word())@\(word()).example"
    let body = "\(word()) \(word())"

    /// As it travels.
    var text: String {
        """
        From: \(sender)
        To: \(recipient)
        Subject: \(subject)
        Message-ID: <\(messageID)>

        \(body)

        """
    }

    /// All that it tells.
    var contents: [String] { [sender, recipient, subject, messageID, body] }

    private static func word() -> String { PrivateWords.random() }
}
