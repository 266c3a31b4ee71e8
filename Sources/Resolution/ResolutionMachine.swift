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
/// bound keeps its account's other notices waiting, nobody else's, and then no notice at all; its connection may wait
/// on, because a login that is held up or an index that is being made would be held up or made anew each time. A server
/// that doesn't answer is left alone by a breaker, an account by one of its own. It knows no time but what it is told,
/// since boot.
///
/// Whoever uses it calls `turn` after anything has happened and when `nextTurn` says so, and carries out what it asks
/// for.
public struct ResolutionMachine: Sendable {
    /// The bounds.
    public struct Limits: Sendable {
        /// From `add` to the resolution, and from a question to its answer as long as a notice waits for that.
        public var bound: Duration = .milliseconds(500)
        /// From a question to its answer in any case: Dovecot holds a login up by 15 s at most where others failed
        /// before, and its refusal by 2 s more (auth/auth-penalty.h, `auth_failure_delay`).
        public var patience: Duration = .seconds(20)
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

    private let services: [Service]
    let limits: Limits
    var waiting: [Int64: Waiting] = [:]
    /// The notices that wait, in the order in which they came.
    private var order: [Int64] = []
    /// What is asked, by account.
    var asked: [[UInt8]: Asked] = [:]
    /// What no notice waits for any more.
    var late: [AccountOfService: Asked] = [:]
    var servers: [Service: Standing] = [:]
    /// The breakers of accounts that didn't answer when they were asked last.
    var accounts: [AccountOfService: Breaker] = [:]
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
    public func isPaused(_ service: Service) -> Bool { servers[service]?.breaker != nil }

    /// Whom this service doesn't let us in to, for people.
    public func refusal(_ service: Service) -> Refusal? { servers[service]?.refusal }

    /// How many messages that were named for a notice are remembered, so that none is for two.
    public static let memory = TakenUIDs.limit

    /// A message was named for a notice that isn't here any more.
    public mutating func remember(_ location: Resolution.Location, of account: String) {
        taken.insert(
            TakenUIDs.Message(
                account: account, folder: location.folder, uidValidity: location.uidValidity,
                uid: location.uid))
    }

    /// Takes a notice that wasn't seen before.
    ///
    /// - Parameter uid: the exact UID if the entry has one, else 0. Without its UIDVALIDITY it may be that of a mailbox
    ///   which was made anew, so that is asked for where anybody can be.
    public mutating func add(_ notice: Int64, uid: UInt32, _ question: Question, now: Duration) {
        needsTurn = true
        if uid > 0, question.uidValidity != nil || services.isEmpty {
            let location = Resolution.Location(
                folder: question.folder, uid: uid, uidValidity: question.uidValidity)
            end(notice, question.account, location, .entry)
        } else if uid == 0, !question.isAskable {
            end(notice, question.account, nil, .unaskable)
        } else {
            var question = question
            question.uid = uid > 0 ? uid : nil
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
        return
            (deadlines + asked.values.filter { !$0.isAbandoned }.map { $0.since + limits.bound }
            + late.values.filter { !$0.isAbandoned }.map { $0.since + limits.patience }).min()
    }

    /// Gives all that there is to do now.
    public mutating func turn(now: Duration) -> [Action] {
        needsTurn = false
        var actions: [Action] = []
        for (account, entry) in asked where !entry.isAbandoned && now >= entry.since + limits.bound {
            asked[account]?.isAbandoned = true
            actions.append(.abandon(entry.ask))
        }
        for (account, entry) in late where !entry.isAbandoned && now >= entry.since + limits.patience {
            late[account]?.isAbandoned = true
            actions.append(.abandon(entry.ask))
        }
        for notice in order {
            guard let entry = waiting[notice] else { continue }
            if now >= entry.since + limits.bound {
                giveUp(notice, entry, .outOfTime)
            } else if asked[entry.account] == nil, entry.nextTry <= now {
                guard let service = service(for: entry, now: now) else {
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

    private func service(for entry: Waiting, now: Duration) -> Service? {
        services.first { service in
            let key = AccountOfService(service: service, account: entry.account)
            return entry.question.isAskable(of: service) && late[key] == nil
                && (servers[service]?.breaker ?? Breaker()).isPassable(now: now)
                && accounts[key, default: Breaker()].isPassable(now: now)
        }
    }

    private mutating func ask(_ notice: Int64, _ question: Question, _ service: Service, _ now: Duration)
        -> Ask
    {
        servers[service]?.breaker?.pass()
        let ask = Ask(notice: notice, service: service, question: question)
        accounts[ask.key]?.pass()
        asked[ask.account] = Asked(ask: ask, since: now)
        return ask
    }
}
