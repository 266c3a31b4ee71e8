import IMAP
import Resolution

extension Reader {
    /// Of a mail server; the first byte is how much comes at a time.
    static func imap(_ input: [UInt8]) throws(BrokenPromise) {
        let said = Array(input.dropFirst())
        let piece = Int(input.first ?? 0) + 1
        let whole = try conversation([said])
        let pieces = stride(from: 0, to: said.count, by: piece).map {
            Array(said[$0..<min($0 + piece, said.count)])
        }
        try promise(try conversation(pieces) == whole, "it doesn't matter where responses are cut")
    }

    private static let commands = [
        "AUTHENTICATE PLAIN", "NAMESPACE", "EXAMINE ", "UID SEARCH UID ", "UID FETCH ",
    ]

    private struct Outcome: Equatable {
        var answer: Answer?
        var fault: IMAPFault?
    }

    /// What comes of all that a server says, and that only what may be said is said to it.
    private static func conversation(_ pieces: [[UInt8]]) throws(BrokenPromise) -> Outcome {
        let question = Question(
            account: "alice", folder: "Entwürfe", filed: "1.M2P3.host", messageID: "<m@x>", uidHint: 4,
            landedAt: 1_796_036_098)
        var dialogue = MailboxDialogue(account: "alice", login: MasterLogin(user: "doorbell", password: [1]))
        var outcome = Outcome()
        var sent: [UInt8] = []
        do throws(IMAPFault) {
            try dialogue.ask(question)
            for piece in pieces {
                outcome.answer = try dialogue.receive(piece) ?? outcome.answer
                sent += dialogue.bytesToSend()
            }
        } catch {
            outcome = Outcome(fault: error)
        }
        let lines = String(decoding: sent, as: UTF8.self).split(separator: "\r\n")
        try promise(lines.count <= 16, "no server has us say much for one question: \(lines.count) lines")
        var isLiteral = false
        for line in lines where !line.hasPrefix("YWxpY2UA") {
            let command = line.drop { $0 != " " }.dropFirst()
            try promise(
                isLiteral || commands.contains { command.hasPrefix($0) }, "a command that isn't ours: \(line)"
            )
            isLiteral = !isLiteral && line.hasSuffix("}")
        }
        if case .found(let finding) = outcome.answer {
            try promise(finding.uidValidity > 0 && finding.candidates.count <= 16, "an answer is bounded")
        }
        return outcome
    }

    /// Of doveadm's HTTP API.
    static func doveadm(_ input: [UInt8]) throws(BrokenPromise) {
        let question = Question(account: "alice", folder: "a.b", messageID: "<m@x>", landedAt: 1_796_036_098)
        guard var whole = DoveadmDialogue(question, key: [1]),
            var pieces = DoveadmDialogue(question, key: [1])
        else {
            throw BrokenPromise(description: "a question that can't be asked")
        }
        let step = try? whole.receive(input)
        var last: DoveadmDialogue.Step? = .wait
        for byte in input where last == .wait { last = try? pieces.receive([byte]) }
        try promise(step == last, "it doesn't matter where an answer is cut")
        if case .answer(.found(let finding)) = step {
            try promise(finding.uidValidity > 0 && !finding.candidates.isEmpty, "what is found has a place")
        }
    }
}
