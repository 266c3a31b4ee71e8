public import IMAP

/// What is said on one connection to an IMAP server, about one account's mail.
///
/// ```
/// greeting ──▶ logging in ──▶ asking for namespaces ──▶ idle ◀──────────── answer
///                                                        │                    ▲
///                                                       ask                   │
///                                                        ▼                    │
///                  examining, or NOOP where the folder is open ──▶ searching ──▶ fetching
/// ```
/// It makes no system call and knows no time. Whoever uses it sends `bytesToSend()` after each call, and closes the
/// connection when `receive` throws or nothing comes for too long. A hostile server can make it throw or wait, and
/// answers are judged elsewhere (`Finding`).
public struct MailboxDialogue: Sendable {
    /// How far below the highest UID known a mail is looked for: far enough for what came at the same time, and near
    /// enough for a folder with 20,000 others.
    static let window: UInt32 = 1000
    /// How many of the newest messages that were found are looked at.
    static let mostCandidates = 16

    enum Step: Equatable {
        case greeting
        case authenticating
        case askingNamespaces
        case idle
        /// The names that are left to try are behind the first.
        case examining([String])
        case refreshing
        case searchingGUID
        case searchingMessageID
        case fetching(Finding.Clue, [UInt32])
    }

    /// The folder that is open.
    struct OpenFolder: Equatable {
        /// As the question names it.
        var asked: String
        /// As the server does.
        var name: String
        var uidValidity: UInt32
        /// The highest UID there is known to be.
        var highestUID: UInt32
    }

    private let account: String
    private let login: MasterLogin
    var step = Step.greeting
    private var reader = ResponseReader()
    private var capabilities: Capabilities = []
    var namespaces: [Namespace] = []
    /// Whether the server knows X-GUID, until it says that it doesn't.
    var knowsGUID = true
    private var commands: UInt64 = 0
    private var tag: [UInt8] = []
    /// What of the command waits for the server's permission.
    private var pieces: [[UInt8]] = []
    private var output: [UInt8] = []
    var question: Question?
    var folder: OpenFolder?
    // What the server says during a command.
    var uidValidity: UInt32?
    var uidNext: UInt32?
    var found: [UInt32] = []
    var candidates: [Finding.Candidate] = []

    /// Waits for the greeting.
    public init(account: String, login: MasterLogin) {
        self.account = account
        self.login = login
    }

    /// Whether the server has greeted, and so lives: what it doesn't answer later may be the account's doing.
    public var hasGreeted: Bool { step != .greeting }

    /// Whether the account's session hasn't begun yet: of one that can't begin the login's answer is OK (2.3).
    var isLoggingIn: Bool { step == .authenticating || step == .askingNamespaces }

    /// Whether a question was answered here.
    public internal(set) var hasAnswered = false

    /// Whether a question may be asked at once.
    public var isIdle: Bool { step == .idle && question == nil }

    /// Asks a question, now or once the server has let us in; one at a time.
    public mutating func ask(_ question: Question) throws(IMAPFault) {
        self.question = question
        if step == .idle { _ = try open() }
    }

    /// Says goodbye, as far as that is possible now; no answer is waited for.
    public mutating func leave() {
        if step == .idle { try? say(.logout) }
    }

    /// What is to be sent; empty when nothing is.
    public mutating func bytesToSend() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Takes what the server says; gives the answer when it is there.
    ///
    /// - Throws: what makes this connection useless.
    public mutating func receive(_ bytes: [UInt8]) throws(IMAPFault) -> Answer? {
        reader.receive(bytes)
        var answer: Answer?
        while let response = try reader.next() {
            if let given = try take(response) { answer = given }
        }
        return answer
    }

    private mutating func take(_ response: Response) throws(IMAPFault) -> Answer? {
        switch response {
        case .goOn:
            guard !pieces.isEmpty else { throw .unexpected }
            output += pieces.removeFirst()
        case .status(let status): try hear(status)
        case .tagged(let tag, let status):
            guard tag == self.tag, step != .idle else { throw .unexpected }
            try note(status.code)
            pieces = []
            return try proceed(status)
        case .namespace(let namespaces): self.namespaces = namespaces
        case .search(let uids):
            found = Array((found + uids).sorted().suffix(Self.mostCandidates))
        case .fetch(let message): keep(message)
        case .capability(let capabilities): self.capabilities = capabilities
        case .other: break
        }
        return nil
    }

    /// Keeps what was asked for; of other messages a server may tell by itself.
    private mutating func keep(_ message: FetchedMessage) {
        guard case .fetching(_, let uids) = step, let uid = message.uid, uids.contains(uid),
            message.header != nil,
            !candidates.contains(where: { $0.uid == uid })
        else { return }
        candidates.append(
            Finding.Candidate(uid: uid, messageID: message.messageID, receivedAt: message.internalDate))
    }

    private mutating func hear(_ status: Response.Status) throws(IMAPFault) {
        if status.kind == .bye { throw .bye }
        try note(status.code)
        guard step == .greeting else { return }
        // PREAUTH would be somebody else's session.
        guard status.kind == .ok else { throw .refused }
        step = .authenticating
        try say(.authenticate(account: account, login))
    }

    private mutating func note(_ code: Response.Code?) throws(IMAPFault) {
        switch code {
        case .uidValidity(let value):
            if let folder, folder.uidValidity != value { throw .renumbered }
            uidValidity = value
        case .uidNext(let value): uidNext = value
        case .capability(let value): capabilities = value
        case .authenticationFailed, nil: break
        }
    }

    mutating func say(_ command: Command) throws(IMAPFault) {
        (uidValidity, uidNext, found, candidates) = (nil, nil, [], [])
        commands &+= 1
        tag = Array("A\(commands)".utf8)
        pieces = try CommandText(command, tag: tag, capabilities).pieces
        output += pieces.removeFirst()
    }
}
