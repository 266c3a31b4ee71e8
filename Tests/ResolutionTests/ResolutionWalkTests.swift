import Resolution
import TestSupport
import Testing

@Suite("Looking for UIDs, whatever servers do")
struct ResolutionWalkTests {
    @Test(
        "Every notice is resolved once and in time, no mail is for two, no account waits for another, no turn spins"
    )
    func walk() throws {
        var walk = ResolutionWalk(seed: 20_261_130)
        for step in 0..<50_000 {
            do { try walk.step() } catch {
                Issue.record("\(error) at step \(step)")
                return
            }
        }
        // A walk that never gets there shows nothing.
        let never = Resolution.Source.allCases.filter { walk.ends[$0.rawValue, default: 0] < 5 }
        #expect(never.isEmpty)
    }
}

/// Notices, servers and time as they come, beside the simplest account of what must hold.
struct ResolutionWalk {
    /// What didn't hold.
    struct Violation: Error { let what: String }

    private var random: SplitMix
    private var machine = ResolutionMachine(services: [.imap, .doveadm])
    private var now = Duration.zero
    private var nextNotice: Int64 = 1
    private var nextUID: UInt32 = 100
    /// What isn't resolved, when it came and whose it is.
    private var waiting: [Int64: (since: Duration, account: String)] = [:]
    private var open: [(ask: ResolutionMachine.Ask, since: Duration, isLate: Bool)] = []
    private var named: Set<String> = []
    /// Until when a server is down.
    private var outages: [Service: Duration] = [:]
    /// How often each kind of end came about.
    private(set) var ends: [String: Int] = [:]

    init(seed: UInt64) { random = SplitMix(state: seed) }

    mutating func step() throws {
        switch random.below(20) {
        case 0..<7: add()
        case 7: outages[random.chance(2) ? .imap : .doveadm] = now + .milliseconds(random.below(4000))
        case 8..<12: now += .milliseconds(random.below(60))
        default: if !open.isEmpty { answer(random.below(open.count)) }
        }
        if random.chance(500) { now += .seconds(random.below(100)) }
        // A loop that is held up comes late; what it does then is bounded from then on.
        try turn()
        try hold(machine.nextTurn() ?? .seconds(1 << 30) > now, "a turn that asks for another at once")
        let asked = open.filter { !$0.isLate }.map(\.ask.question.account)
        try hold(
            Set(asked).count == asked.count && asked.count <= 32, "two questions for an account, or too many")
        for (notice, entry) in waiting {
            try hold(now < entry.since + .milliseconds(500), "notice \(notice) waits too long")
        }
    }

    private mutating func add() {
        let account = "user\(random.below(random.chance(4) ? 1000 : 6))"
        let question = Question(
            folder: "INBOX", filed: random.chance(4) ? "g" : nil, id: random.chance(4) ? "" : "<a@x>",
            hint: random.chance(3) ? nextUID + UInt32(random.below(3)) : nil, account: account)
        machine.add(nextNotice, uid: random.chance(10) ? unusedUID() : 0, question, now: now)
        waiting[nextNotice] = (now, account)
        nextNotice += 1
    }

    private mutating func unusedUID() -> UInt32 {
        nextUID += 10
        return nextUID
    }

    private mutating func answer(_ place: Int) {
        let ask = open.remove(at: place).ask
        if outages[ask.service, default: .zero] > now {
            let failures: [ResolutionMachine.Failure] = [
                .server, .account, .stale, .refused, .lockedOut,
            ]
            return machine.failed(ask, failures[random.below(5)], now: now)
        }
        guard random.chance(2) else { return machine.answered(ask, .nothing, now: now) }
        let clue: Finding.Clue =
            ask.question.uid != nil
            ? .entry : ask.question.guid != nil ? .guid : ask.question.messageID.isEmpty ? .hint : .messageID
        let uid =
            ask.question.uid ?? (clue == .guid ? unusedUID() : max(1, nextUID - UInt32(random.below(4))))
        let finding = Finding(
            folder: "INBOX", uidValidity: 17, clue: clue,
            candidates: [
                .init(uid: uid, messageID: ask.question.messageID, receivedAt: StrictServer.seconds)
            ])
        machine.answered(ask, .found(finding), now: now)
    }

    private mutating func turn() throws {
        for action in machine.turn(now: now) {
            switch action {
            case .ask(let ask):
                let isFree = !open.contains {
                    $0.ask.service == ask.service && $0.ask.account == ask.account
                }
                try hold(isFree, "asked where an answer is still waited for")
                open.append((ask, now, false))
            case .abandon(let ask):
                let place = open.firstIndex { $0.ask == ask }
                guard let place else { throw Violation(what: "abandoned what isn't open") }
                let (_, since, isLate) = open[place]
                try hold(now >= since + (isLate ? .seconds(20) : .milliseconds(500)), "abandoned too soon")
                if random.chance(2), machine.waitOn(ask, now: now) {
                    try hold(!isLate, "waits for ever")
                    open[place].isLate = true
                    continue
                }
                open.remove(at: place)
                machine.failed(ask, random.chance(2) ? .server : .account, now: now)
            case .resolved(let resolution): try end(resolution)
            }
        }
        // What a report has changed is done in the same turn of a loop.
        if machine.nextTurn() == .zero { try turn() }
    }

    private mutating func end(_ resolution: Resolution) throws {
        guard let entry = waiting.removeValue(forKey: resolution.notice) else {
            throw Violation(what: "resolved twice")
        }
        ends[resolution.source.rawValue, default: 0] += 1
        switch resolution.source {
        case .entry, .guid, .messageID, .checkedHint, .hint:
            guard let location = resolution.location else {
                throw Violation(what: "a place that isn't known")
            }
            let mail = "\(entry.account) \(location)"
            try hold(named.insert(mail).inserted, "a mail for two notices: \(mail)")
        case .notFound, .outOfTime, .unavailable, .unaskable:
            try hold(resolution.location == nil, "a place from nowhere")
        }
    }

    private func hold(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw Violation(what: what()) }
    }
}
