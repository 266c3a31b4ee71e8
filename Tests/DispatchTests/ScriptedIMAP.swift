import Foundation
import Posix
import Testing

/// The mail server's side in the test's own thread: IMAP on 127.0.0.1, as much of it as dispatch uses.
///
/// Nothing happens but in `pump`, which never waits. Names and Message-IDs in these tests need no literals.
final class ScriptedIMAP {
    /// A folder of an account.
    struct Folder {
        var uidValidity: UInt32 = 1_700_000_001
        var mails: [Mail] = []
        var uidNext: UInt32 { (mails.map(\.uid).max() ?? 0) + 1 }
    }

    struct Mail {
        var uid: UInt32
        var messageID = ""
        var guid = ""
        var at: WallTime
    }

    /// What it does with whom.
    enum Manners {
        case answers
        /// Greets and lets in, and then says nothing more.
        case hangs
        /// Knows no such account, and says so as Dovecot does.
        case refuses
        /// Doesn't take the master user's password.
        case locksOut
    }

    let port: UInt16
    /// The mail, by account and folder.
    var mail: [String: [String: Folder]] = [:]
    var manners: [String: Manners] = [:]
    /// Whether it says anything at all.
    var isSilent = false
    /// How long each answer takes, by `clock`.
    var delay: Duration = .zero
    /// How much longer that to a login takes.
    var loginDelay: Duration = .zero
    var clock: () -> Duration = { .zero }
    /// Every command but its tag, by connection, as `alice EXAMINE "INBOX"`.
    private(set) var commands: [String] = []
    /// How many connections there have been.
    private(set) var connectionCount = 0
    private var listening: Listening?
    private var sessions: [Session] = []

    private final class Listening {
        let listener: LoopbackListener
        init(port: UInt16) throws { listener = try LoopbackListener(port: port) }
    }

    private final class Session {
        let socket: StreamSocket
        var account = ""
        var folder = ""
        var input: [UInt8] = []
        /// What it will say, and when.
        var output: [(text: String, at: Duration)] = []
        init(_ socket: StreamSocket) { self.socket = socket }
    }

    init() throws {
        let listening = try Listening(port: 0)
        port = listening.listener.port
        self.listening = listening
    }

    /// Those that are open.
    var openConnections: Int { sessions.count }

    /// Closes everything, and refuses what comes.
    func goDown() {
        listening = nil
        sessions = []
    }

    /// Listens again on the same port.
    func comeBack() throws { listening = try Listening(port: port) }

    /// Files a mail under the next UID; gives that.
    @discardableResult
    func file(
        _ messageID: String = "", guid: String = "", for user: String, in folder: String = "INBOX",
        at: WallTime
    )
        -> UInt32
    {
        let uid = mail[user, default: [:]][folder, default: Folder()].uidNext
        mail[user, default: [:]][folder, default: Folder()].mails.append(
            Mail(uid: uid, messageID: messageID, guid: guid, at: at))
        return uid
    }

    func watch(with poller: inout Poller) {
        if let listening { _ = poller.add(listening.listener.rawValue) }
        for session in sessions { _ = poller.add(session.socket.rawValue) }
    }

    /// Does what can be done without waiting.
    func pump() throws {
        while let socket = try listening?.listener.accept() {
            let session = Session(socket)
            sessions.append(session)
            connectionCount += 1
            if !isSilent { say("* OK [CAPABILITY IMAP4rev1 SASL-IR] ready", to: session) }
        }
        for session in sessions {
            do {
                while let bytes = try session.socket.receive(upTo: 65_536) {
                    guard !bytes.isEmpty else { throw CancellationError() }
                    session.input += bytes
                }
                if !isSilent { hear(session) }
                while let next = session.output.first, next.at <= clock() {
                    session.output.removeFirst()
                    try session.socket.send(Array(next.text.utf8))
                }
            } catch {
                sessions.removeAll { $0 === session }
            }
        }
    }

    private func say(_ line: String, to session: Session, later: Duration = .zero) {
        session.output.append((line + "\r\n", clock() + delay + later))
    }

    private func hear(_ session: Session) {
        while let end = session.input.firstIndex(of: 0x0A) {
            let line = String(decoding: session.input[..<end].dropLast(), as: UTF8.self)
            session.input.removeFirst(end + 1)
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { continue }
            obey(words[1], tag: words[0], session)
        }
    }

    private func obey(_ command: String, tag: String, _ session: Session) {
        if command.hasPrefix("AUTHENTICATE PLAIN ") {
            let message = Data(base64Encoded: String(command.dropFirst(19))) ?? Data()
            session.account = String(decoding: message.prefix { $0 != 0 }, as: UTF8.self)
            commands.append("\(session.account) AUTHENTICATE PLAIN")
            let answer =
                switch manners[session.account] {
                case .refuses: "NO [UNAVAILABLE] Internal error occurred."
                case .locksOut: "NO [AUTHENTICATIONFAILED] Authentication failed."
                case .answers, .hangs, nil: "OK in"
                }
            return say("\(tag) \(answer)", to: session, later: loginDelay)
        }
        commands.append("\(session.account) \(command)")
        if manners[session.account] == .hangs { return }
        let folder = mail[session.account]?[session.folder]
        if command == "NAMESPACE" {
            say(#"* NAMESPACE (("" ".")) NIL NIL"#, to: session)
        } else if command.hasPrefix("EXAMINE ") {
            session.folder = command.dropFirst(8).trimmingCharacters(in: ["\""])
            guard let folder = mail[session.account]?[session.folder] else {
                return say("\(tag) NO [NONEXISTENT] no such folder", to: session)
            }
            say("* OK [UIDVALIDITY \(folder.uidValidity)] ok", to: session)
            say("* OK [UIDNEXT \(folder.uidNext)] ok", to: session)
        } else if let match = command.wholeMatch(
            of: #/UID SEARCH UID (\d+):\* (X-GUID|HEADER Message-ID) "(.*)"/#)
        {
            let found = (folder?.mails ?? []).filter {
                match.2 == "X-GUID" ? $0.guid == match.3 : $0.messageID.contains(match.3)
            }
            say("* SEARCH" + found.map { " \($0.uid)" }.joined(), to: session)
        } else if let match = command.firstMatch(of: #/^UID FETCH ([0-9,]+) /#) {
            let uids = match.1.split(separator: ",").compactMap { UInt32($0) }
            for mail in folder?.mails ?? [] where uids.contains(mail.uid) { tell(of: mail, to: session) }
        }
        say("\(tag) OK done", to: session)
    }

    private func tell(of mail: Mail, to session: Session) {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "dd-MMM-yyyy HH:mm:ss Z"
        let date = format.string(from: Date(timeIntervalSince1970: Double(mail.at.seconds)))
        let header = "Message-ID: \(mail.messageID)\r\n\r\n"
        say(
            "* 1 FETCH (UID \(mail.uid) INTERNALDATE \"\(date)\" BODY[HEADER.FIELDS (MESSAGE-ID)]<0> "
                + "{\(header.utf8.count)}\r\n\(header))", to: session)
    }
}
