internal import IMAP
internal import JSON

/// Asks doveadm's HTTP API for one mail; a connection serves one request, so each name of the folder takes another, and
/// each clue.
///
/// A request has two commands: which folder it is, and which messages there may be the one. Names and Message-IDs are
/// JSON strings and arguments of their own, so nothing in them can become a command
/// (doc.dovecot.org, "Doveadm HTTP API"). A name with `*` or `%` is a pattern to doveadm, which it matches itself: the
/// answers tell of several folders then.
public struct DoveadmDialogue: Sendable {
    /// What comes of an answer.
    public enum Step: Equatable, Sendable {
        /// More of it must arrive.
        case wait
        /// Close, connect anew and send `request`, which is another.
        case askAgain
        case answer(Answer)
    }

    /// Why there is no answer; none of the server's words are kept.
    public enum Fault: String, Error, CaseIterable, Sendable, CustomStringConvertible {
        case malformed
        case lockedOut
        case refused
        case failed

        /// One line for a log.
        public var description: String {
            switch self {
            case .malformed: "doveadm: an answer can't be understood"
            case .lockedOut: "doveadm: the key is refused"
            case .refused: "doveadm: the account isn't known"
            case .failed: "doveadm: the command failed"
            }
        }
    }

    private let question: Question
    private let key: [UInt8]
    private var names: [String]
    /// By what it is looked for in the folder of that name, one after the other.
    private var clues: [Finding.Clue]
    private var reader = HTTPAnswerReader()

    /// Prepares to ask; nil where doveadm can't be asked for it.
    ///
    /// - Parameter key: the API's key, which is never shown.
    public init?(_ question: Question, key: [UInt8]) {
        guard question.isAskable(of: .doveadm) else { return nil }
        if question.uid != nil {
            clues = [.entry]
        } else {
            clues = (question.guid == nil ? [] : [.guid]) + (question.messageID.isEmpty ? [] : [.messageID])
        }
        self.question = question
        self.key = key
        names = FolderNames.usual(for: question.folder)
    }

    /// What is to be sent on a new connection.
    public var request: [UInt8] {
        let body = commands
        let head = [
            "POST /doveadm/v1 HTTP/1.1", "Host: localhost", "Connection: close",
            "Authorization: X-Dovecot-API \(String(decoding: Base64.encode(key), as: UTF8.self))",
            "Content-Type: application/json", "Content-Length: \(body.count)", "", "",
        ]
        return Array(head.joined(separator: "\r\n").utf8) + body
    }

    private var clue: Finding.Clue { clues.first ?? .messageID }

    private var name: String { names.first ?? question.folder }

    private var commands: [UInt8] {
        var text = JSONText()
        text.beginArray()
        text.command("mailboxStatus", tag: "folder", user: question.account) { text in
            text.list("field", ["uidvalidity", "guid"])
            text.list("mailboxMask", [name])
        }
        text.command("fetch", tag: "mail", user: question.account) { text in
            text.list("field", ["uid", "mailbox-guid", "hdr.message-id", "date.received.unixtime"])
            let mail =
                switch clue {
                case .entry: ["uid", "\(question.uid ?? 0)"]
                case .guid: ["guid", String(decoding: question.guid ?? [], as: UTF8.self)]
                case .messageID, .hint:
                    ["header", "message-id", String(decoding: question.messageID, as: UTF8.self)]
                }
            text.list("query", ["mailbox", name] + mail)
        }
        text.endArray()
        return text.bytes
    }

    /// Takes what the server says.
    public mutating func receive(_ bytes: [UInt8]) throws(Fault) -> Step {
        let answer: HTTPAnswerReader.HTTPAnswer?
        do throws(HTTPAnswerReader.Fault) {
            answer = try reader.receive(bytes)
        } catch {
            // Too many messages have it: whichever is meant is doubtful.
            if error == .oversized { return .answer(.nothing) }
            throw .malformed
        }
        guard let answer else { return .wait }
        guard answer.status == 200 else {
            throw answer.status == 401 || answer.status == 403 ? .lockedOut : .failed
        }
        reader = HTTPAnswerReader()
        if let found = try DoveadmAnswer.finding(in: answer.body, about: name, clue: clue) {
            if !found.candidates.isEmpty { return .answer(.found(found)) }
            clues.removeFirst(min(1, clues.count))
            return clues.isEmpty ? .answer(.nothing) : .askAgain
        }
        names.removeFirst(min(1, names.count))
        return names.isEmpty ? .answer(.nothing) : .askAgain
    }
}

extension JSONText {
    /// Writes a command of doveadm's API: its name, parameters and tag.
    fileprivate mutating func command(
        _ name: String, tag: String, user: String, parameters: (inout JSONText) -> Void
    ) {
        beginArray()
        string(name.utf8)
        beginObject()
        key("user")
        string(user.utf8)
        parameters(&self)
        endObject()
        string(tag.utf8)
        endArray()
    }

    fileprivate mutating func list(_ name: StaticString, _ texts: [String]) {
        key(name)
        beginArray()
        for text in texts { string(text.utf8) }
        endArray()
    }
}
