import Resolution
import Testing

@Suite("Looking for the UIDs of notices' mails")
struct ResolutionMachineTests {
    private static func milliseconds(_ value: Int) -> Duration { .milliseconds(value) }

    private static func found(_ uid: UInt32, id: String = "<a@x>") -> Answer {
        .found(
            Finding(
                folder: "INBOX", uidValidity: 17, clue: .messageID,
                candidates: [.init(uid: uid, messageID: Array(id.utf8), receivedAt: StrictServer.seconds)]))
    }

    @Test("An exact UID needs nobody, and a mail without anything to go by asks nobody")
    func entry() {
        var machine = ResolutionMachine(services: [.imap])
        var question = Question(id: "<a@x>")
        question.uidValidity = 9
        machine.add(1, uid: 42, question, now: .zero)
        machine.add(2, uid: 0, Question(), now: .zero)
        #expect(machine.nextTurn() == .zero)
        #expect(
            machine.turn(now: .zero).resolved == [
                Resolution(
                    notice: 1, location: .init(folder: "INBOX", uid: 42, uidValidity: 9), source: .entry),
                Resolution(notice: 2, location: nil, source: .unaskable),
            ])
        #expect(machine.nextTurn() == nil && machine.count == 0)
    }

    @Test("What is found names the server's folder, UID and UIDVALIDITY")
    func found() throws {
        var machine = ResolutionMachine(services: [.imap, .doveadm])
        machine.add(1, uid: 0, Question(folder: "inbox", id: "<a@x>"), now: .zero)
        let ask = try #require(machine.turn(now: .zero).asks.first)
        #expect(ask.service == .imap && ask.notice == 1)
        machine.answered(ask, Self.found(7), now: .zero)
        #expect(
            machine.turn(now: .zero).resolved == [
                Resolution(
                    notice: 1, location: .init(folder: "INBOX", uid: 7, uidValidity: 17), source: .messageID)
            ])
    }

    @Test(
        "A mail that isn't there yet is looked for after 20, 50, 100 and 200 ms, and given up within the bound"
    )
    func retries() throws {
        var machine = ResolutionMachine(services: [.imap])
        machine.add(1, uid: 0, Question(id: "<a@x>", hint: 3), now: .zero)
        var tries: [Duration] = []
        var resolved: [Resolution] = []
        while resolved.isEmpty {
            let now = max(try #require(machine.nextTurn()), tries.last ?? .zero)
            let actions = machine.turn(now: now)
            resolved = actions.resolved
            for ask in actions.asks {
                tries.append(now)
                machine.answered(ask, .nothing, now: now)
            }
        }
        #expect(tries == [0, 20, 70, 170, 370].map(Self.milliseconds))
        // A server that knows better has spoken: the guess isn't taken.
        #expect(resolved == [Resolution(notice: 1, location: nil, source: .notFound)])
    }

    @Test("With a longer bound it is looked for every 200 ms")
    func longBound() throws {
        var limits = ResolutionMachine.Limits()
        limits.bound = .seconds(2)
        var machine = ResolutionMachine(services: [.imap], limits: limits)
        machine.add(1, uid: 0, Question(id: "<a@x>"), now: .zero)
        var tries = 0
        var now = Duration.zero
        while machine.count > 0 {
            now = max(now, try #require(machine.nextTurn()))
            for ask in machine.turn(now: now).asks {
                tries += 1
                machine.answered(ask, .nothing, now: now)
            }
        }
        #expect(tries == 13 && now < .seconds(2))
    }

    @Test("One question at a time for an account, others meanwhile, in the order in which they came")
    func accounts() throws {
        var machine = ResolutionMachine(services: [.imap])
        for notice in 1...3 { machine.add(Int64(notice), uid: 0, Question(id: "<a@x>"), now: .zero) }
        machine.add(4, uid: 0, Question(id: "<a@x>", account: "bob"), now: .zero)
        let asks = machine.turn(now: .zero).asks
        #expect(asks.map(\.notice) == [1, 4])
        machine.answered(asks[1], Self.found(1), now: .zero)
        #expect(machine.turn(now: .zero).asks.isEmpty)
        machine.answered(asks[0], .nothing, now: .zero)
        // While the first waits for its next try the second has its turn.
        #expect(machine.turn(now: .zero).asks.map(\.notice) == [2])
    }

    @Test("Two accounts whose names look alike are two")
    func lookAlikes() {
        var machine = ResolutionMachine(services: [.imap])
        for (notice, account) in [Int64(1): "\u{E9}", 2: "e\u{301}"] {
            machine.add(notice, uid: 0, Question(id: "<a@x>", account: account), now: .zero)
        }
        let asks = machine.turn(now: .zero).asks
        #expect(Set(asks.map(\.account)) == [Array("\u{E9}".utf8), Array("e\u{301}".utf8)])
    }

    @Test("No two notices get the same mail of a Message-ID that came twice")
    func twice() throws {
        var machine = ResolutionMachine(services: [.imap])
        let copies = Answer.found(
            Finding(
                folder: "INBOX", uidValidity: 17, clue: .messageID,
                candidates: [5, 6].map {
                    .init(uid: $0, messageID: Array("<a@x>".utf8), receivedAt: StrictServer.seconds)
                }))
        var uids: [UInt32?] = []
        for notice in 1...3 {
            machine.add(Int64(notice), uid: 0, Question(id: "<a@x>"), now: .zero)
            let ask = try #require(machine.turn(now: .zero).asks.first)
            machine.answered(ask, copies, now: .milliseconds(499))
            uids += machine.turn(now: .milliseconds(499)).resolved.map { $0.location?.uid }
        }
        #expect(uids == [5, 6, nil])
    }

    @Test("A guess that a server couldn't bear out isn't taken when the server goes away afterwards")
    func deniedHint() throws {
        var machine = ResolutionMachine(services: [.imap])
        machine.add(1, uid: 0, Question(id: "<a@x>", hint: 9), now: .zero)
        machine.answered(try #require(machine.turn(now: .zero).asks.first), .nothing, now: .zero)
        let again = machine.turn(now: .milliseconds(20))
        machine.failed(try #require(again.asks.first), .server, now: .milliseconds(20))
        #expect(machine.turn(now: .milliseconds(20)).resolved.map(\.source) == [.notFound])
    }

    @Test("Where IMAP fails doveadm is asked, within the same bound; then the guess is taken, by one notice")
    func fallBack() throws {
        var machine = ResolutionMachine(services: [.imap, .doveadm])
        for notice in [Int64(1), 2] {
            machine.add(notice, uid: 0, Question(id: "<a@x>", hint: 9), now: .zero)
        }
        machine.failed(try #require(machine.turn(now: .zero).asks.first), .server, now: .zero)
        let ask = try #require(machine.turn(now: .zero).asks.first)
        #expect(ask.service == .doveadm && ask.notice == 1)
        machine.failed(ask, .server, now: .zero)
        let resolved = machine.turn(now: .zero).resolved
        #expect(resolved.map(\.source) == [.hint, .unavailable])
        #expect(resolved.map { $0.location?.uid } == [9, nil])
        #expect(resolved.map(\.isExact) == [false, false])
    }

    @Test("With no server at all the guess is taken at once, or nothing is")
    func noService() {
        var machine = ResolutionMachine(services: [])
        machine.add(1, uid: 0, Question(hint: 9), now: .zero)
        machine.add(2, uid: 0, Question(hint: 9), now: .zero)
        machine.add(3, uid: 0, Question(filed: "g"), now: .zero)
        #expect(machine.turn(now: .zero).resolved.map(\.source) == [.hint, .unavailable, .unavailable])
    }

    @Test("An answer that comes after its notice went is no harm, and frees the account")
    func late() throws {
        var machine = ResolutionMachine(services: [.imap])
        machine.add(1, uid: 0, Question(id: "<a@x>"), now: .zero)
        machine.add(2, uid: 0, Question(id: "<a@x>"), now: .milliseconds(400))
        let first = try #require(machine.turn(now: .zero).asks.first)
        machine.answered(first, .nothing, now: .milliseconds(490))
        let second = try #require(machine.turn(now: .milliseconds(490)).asks.first)
        #expect(second.notice == 2)
        #expect(machine.turn(now: .milliseconds(900)).resolved.map(\.notice) == [2])
        machine.answered(second, Self.found(7), now: .milliseconds(950))
        machine.answered(second, Self.found(7), now: .milliseconds(950))
        machine.failed(first, .server, now: .milliseconds(950))
        #expect(machine.turn(now: .milliseconds(950)).isEmpty)
        #expect(!machine.isPaused(.imap) && machine.nextTurn() == nil)
    }

    @Test("No more questions are open than there may be connections")
    func limit() {
        var machine = ResolutionMachine(services: [.imap])
        for notice in 0..<100 {
            machine.add(Int64(notice), uid: 0, Question(id: "<a@x>", account: "user\(notice)"), now: .zero)
        }
        #expect(machine.turn(now: .zero).asks.count == 32)
        #expect(machine.turn(now: .zero).isEmpty)
        #expect(machine.nextTurn() == .milliseconds(500))
    }
}

extension [ResolutionMachine.Action] {
    var asks: [ResolutionMachine.Ask] {
        compactMap { if case .ask(let ask) = $0 { ask } else { nil } }
    }

    var resolved: [Resolution] {
        compactMap { if case .resolved(let resolution) = $0 { resolution } else { nil } }
    }
}
