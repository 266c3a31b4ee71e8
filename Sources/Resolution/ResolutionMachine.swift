/// Decides who is asked for the UIDs of notices' mails, when again, and when to go without.
///
/// ```
///            ┌────────── nothing yet: 20, 50, 100, 200 ms ──────────┐
///            ▼                                                      │
/// add ──▶ waiting ──▶ asked (one at a time for an account) ──▶ answered ──▶ resolved
///            │                                                              ▲
///            └──── bound passed, or nobody may be asked: hint or unknown ───┘
/// ```
/// Every notice is resolved once, no later than the bound after it came. A question that nobody answers within the
/// bound is abandoned and keeps its account's other notices waiting, nobody else's; a server that doesn't answer is
/// left alone by a breaker, an account by one of its own. It knows no time but what it is told, since boot.
///
/// Whoever uses it calls `turn` after anything has happened and when `nextTurn` says so, and carries out what it asks
/// for.
public struct ResolutionMachine: Sendable {
    /// The bounds.
    public struct Limits: Sendable {
        /// From `add` to the resolution, and from a question to its answer.
        public var bound: Duration = .milliseconds(500)
        /// The waits for a mail that isn't there yet; the last one again and again.
        public var retries: [Duration] = [
            .milliseconds(20), .milliseconds(50), .milliseconds(100), .milliseconds(200),
        ]
        /// How many questions may wait for their answer: each has a connection.
        public var asked = 32
        /// How many accounts in a row may not answer until it is the server's doing.
        public var doubts = 3

        /// The bounds used in production.
        public init() {}
    }

    /// A question on its way.
    public struct Ask: Equatable, Sendable {
        /// Which notice it is about.
        public let notice: Int64
        /// Who is asked.
        public let service: Service
        /// What.
        public let question: Question

        /// Whose mail it is, to find the account's connection by: as bytes, because to Swift names are equal that look
        /// alike.
        public var account: [UInt8] { Array(question.account.utf8) }
    }

    /// What is to be done.
    public enum Action: Equatable, Sendable {
        /// Ask this, on the account's connection or a new one.
        case ask(Ask)
        /// Close the connection on which this was asked, and report it as failed.
        case abandon(Ask)
        /// The notice may go.
        case resolved(Resolution)
    }

    /// Why there is no answer.
    public enum Failure: Sendable {
        /// Nobody listens, or says anything at all, or what comes is nonsense or a goodbye before the login.
        case server
        /// The account's session broke, or hangs.
        case account
        /// The server lives, and has no such account for us.
        case refused
        /// The connection had served before, and was gone when it was used again.
        case stale
    }

    struct Waiting {
        let question: Question
        let account: [UInt8]
        let since: Duration
        var nextTry: Duration
        /// How often a server has said that the mail isn't there.
        var answers = 0
        var wasStale = false
    }

    struct Asked {
        let ask: Ask
        let since: Duration
        var isAbandoned = false
    }

    struct AccountOfService: Hashable {
        var service: Service
        var account: [UInt8]
    }

    private let services: [Service]
    let limits: Limits
    var waiting: [Int64: Waiting] = [:]
    /// The notices that wait, in the order in which they came.
    private var order: [Int64] = []
    /// What is asked, by account.
    var asked: [[UInt8]: Asked] = [:]
    /// Those of servers that didn't answer when they were asked last.
    var servers: [Service: Breaker] = [:]
    /// The same of accounts.
    var accounts: [AccountOfService: Breaker] = [:]
    var doubted: [Service: Set<[UInt8]>] = [:]
    var taken = TakenUIDs()
    var resolved: [Resolution] = []
    var needsTurn = false

    /// Starts with nothing to do.
    ///
    /// - Parameter services: who can be asked, the preferred one first; none where no server is configured.
    public init(services: [Service], limits: Limits = Limits()) {
        self.services = services
        self.limits = limits
    }

    /// How many notices aren't resolved yet.
    public var count: Int { waiting.count }

    /// Whether this service's breaker is open, for people.
    public func isPaused(_ service: Service) -> Bool { servers[service] != nil }

    /// Takes a notice that wasn't seen before.
    ///
    /// - Parameter uid: the exact UID if the entry has one, else 0.
    public mutating func add(_ notice: Int64, uid: UInt32, _ question: Question, now: Duration) {
        needsTurn = true
        if uid > 0 {
            let location = Resolution.Location(
                folder: question.folder, uid: uid, uidValidity: question.uidValidity)
            end(notice, question.account, location, .entry)
        } else if !question.isAskable {
            end(notice, question.account, nil, .unaskable)
        } else {
            waiting[notice] = Waiting(
                question: question, account: Array(question.account.utf8), since: now, nextTry: now)
            order.append(notice)
        }
    }

    /// When to call `turn` at the latest; nil: nothing is waited for.
    public func nextTurn() -> Duration? {
        if needsTurn { return .zero }
        let deadlines = waiting.values.map { waiting in
            let end = waiting.since + limits.bound
            return asked[waiting.account] == nil && asked.count < limits.asked
                ? min(waiting.nextTry, end) : end
        }
        return (deadlines + asked.values.filter { !$0.isAbandoned }.map { $0.since + limits.bound }).min()
    }

    /// Gives all that there is to do now.
    public mutating func turn(now: Duration) -> [Action] {
        needsTurn = false
        var actions: [Action] = []
        for (account, entry) in asked where !entry.isAbandoned && now >= entry.since + limits.bound {
            asked[account]?.isAbandoned = true
            actions.append(.abandon(entry.ask))
        }
        for notice in order {
            guard let entry = waiting[notice] else { continue }
            if now >= entry.since + limits.bound {
                giveUp(notice, entry, .outOfTime)
            } else if asked[entry.account] == nil, entry.nextTry <= now {
                guard let service = service(for: entry.account, now: now) else {
                    giveUp(notice, entry, .unavailable)
                    continue
                }
                if asked.count < limits.asked {
                    actions.append(.ask(ask(notice, entry.question, service, now)))
                }
            }
        }
        order.removeAll { waiting[$0] == nil }
        actions += resolved.map(Action.resolved)
        resolved = []
        return actions
    }

    private func service(for account: [UInt8], now: Duration) -> Service? {
        services.first { service in
            servers[service, default: Breaker()].isPassable(now: now)
                && accounts[AccountOfService(service: service, account: account), default: Breaker()]
                    .isPassable(now: now)
        }
    }

    private mutating func ask(_ notice: Int64, _ question: Question, _ service: Service, _ now: Duration)
        -> Ask
    {
        servers[service]?.pass()
        let ask = Ask(notice: notice, service: service, question: question)
        accounts[AccountOfService(service: service, account: ask.account)]?.pass()
        asked[ask.account] = Asked(ask: ask, since: now)
        return ask
    }
}
