import IMAP
import Resolution

/// A dialogue and a server that hear each other.
struct Conversation {
    var dialogue: MailboxDialogue
    var server: StrictServer
    private var greeted = false

    init(_ server: StrictServer, account: String = "alice") {
        self.server = server
        dialogue = MailboxDialogue(
            account: account, login: MasterLogin(user: "doorbell", password: Array("secret".utf8)))
    }

    /// Asks, and lets both talk until nobody has anything to say.
    mutating func ask(_ question: Question) throws -> Answer? {
        try dialogue.ask(question)
        var answer: Answer?
        if !greeted { answer = try dialogue.receive(Array("\(server.greeting)\r\n".utf8)) }
        greeted = true
        while true {
            let said = dialogue.bytesToSend()
            if said.isEmpty { return answer }
            // In pieces of any size it is the same.
            for byte in try server.receive(said) { answer = try dialogue.receive([byte]) ?? answer }
        }
    }
}

extension Question {
    /// A question whose mail landed when the server's mails did.
    init(
        folder: String = "INBOX", filed: String? = nil, id: String = "", hint: UInt32? = nil,
        later: Int64 = 0,
        account: String = "alice"
    ) {
        self.init(
            account: account, folder: folder, filed: filed, messageID: id, uidHint: hint,
            landedAt: StrictServer.seconds + later)
    }
}
