/// A mail of which every word is random, so that each can be looked for where it must not be.
struct Mail: Sendable {
    var sender = "\(word())@\(word()).example"
    var recipient = "\(word())@\(word()).example"
    var subject = "\(word()) \(word())"
    let messageID = "\(word())@\(word()).example"
    let body = "\(word()) \(word())"
    /// More lines of the header.
    var fields = ""
    /// Who the envelope says has sent it; nothing for a bounce.
    var envelopeSender = "ben@example.org"

    /// As it travels.
    var text: String {
        """
        From: \(sender)
        To: \(recipient)
        Subject: \(subject)
        Message-ID: <\(messageID)>
        \(fields)
        \(body)

        """
    }

    /// All that it tells.
    var contents: [String] { [sender, recipient, subject, messageID, body] }

    private static func word() -> String { PrivateWords.random() }
}
