import Resolution
import Testing

@Suite("Looking for UIDs where servers and accounts don't answer")
struct ResolutionTroubleTests {
    private static let found = Answer.found(
        Finding(
            folder: "INBOX", uidValidity: 17, clue: .guid,
            candidates: [.init(uid: 7)]))

    @Test("A server that says nothing costs one bound, and then nobody waits until a probe is answered")
    func deadServer() throws {
        var machine = ResolutionMachine(services: [.imap])
        machine.add(1, uid: 0, Question(id: "<a@x>"), now: .zero)
        let ask = try #require(machine.turn(now: .zero).asks.first)
        #expect(machine.nextTurn() == .milliseconds(500))
        #expect(machine.turn(now: .milliseconds(499)).isEmpty)
        let actions = machine.turn(now: .milliseconds(500))
        #expect(
            actions == [.abandon(ask), .resolved(Resolution(notice: 1, location: nil, source: .outOfTime))])
        #expect(machine.turn(now: .milliseconds(500)).isEmpty && machine.nextTurn() == nil)
        machine.failed(ask, .server, now: .milliseconds(500))
        #expect(machine.isPaused(.imap))

        var now = Duration.milliseconds(500)
        var pause = Duration.seconds(1)
        for notice in 2...9 {
            machine.add(Int64(notice), uid: 0, Question(id: "<a@x>", account: "bob"), now: now)
            #expect(machine.turn(now: now).resolved.map(\.source) == [.unavailable])
            let justBefore = now + pause - .milliseconds(1)
            machine.add(400 + Int64(notice), uid: 0, Question(id: "<a@x>", account: "dave"), now: justBefore)
            #expect(machine.turn(now: justBefore).resolved.map(\.source) == [.unavailable])
            now += pause
            machine.add(100 + Int64(notice), uid: 0, Question(id: "<a@x>", account: "carol"), now: now)
            machine.add(200 + Int64(notice), uid: 0, Question(id: "<a@x>", account: "bob"), now: now)
            let probe = machine.turn(now: now)
            #expect(probe.asks.map(\.notice) == [100 + Int64(notice)])
            #expect(probe.resolved.map(\.source) == [.unavailable])
            machine.failed(probe.asks[0], .server, now: now)
            _ = machine.turn(now: now)
            pause = min(pause * 2, .seconds(60))
        }
        #expect(pause == .seconds(60))
        now += pause
        machine.add(300, uid: 0, Question(id: "<a@x>"), now: now)
        machine.answered(machine.turn(now: now).asks[0], Self.found, now: now)
        #expect(!machine.isPaused(.imap))
    }

    @Test(
        "An account that hangs is left alone, and the others are asked; three in a row are the server's fault"
    )
    func hangingAccounts() throws {
        var machine = ResolutionMachine(services: [.imap])
        func hang(_ account: String, _ notice: Int64, now: Duration) throws {
            machine.add(notice, uid: 0, Question(id: "<a@x>", account: account), now: now)
            let ask = try #require(machine.turn(now: now).asks.first)
            #expect(machine.turn(now: now + .milliseconds(500)).contains(.abandon(ask)))
            machine.failed(ask, .account, now: now + .milliseconds(500))
        }
        try hang("alice", 1, now: .zero)
        machine.add(2, uid: 0, Question(id: "<a@x>", account: "alice"), now: .milliseconds(600))
        machine.add(3, uid: 0, Question(id: "<a@x>", account: "bob"), now: .milliseconds(600))
        let actions = machine.turn(now: .milliseconds(600))
        #expect(actions.resolved.map(\.notice) == [2] && actions.asks.map(\.notice) == [3])
        machine.answered(actions.asks[0], Self.found, now: .milliseconds(600))
        _ = machine.turn(now: .milliseconds(600))
        try hang("carol", 4, now: .seconds(1))
        try hang("dave", 5, now: .seconds(2))
        #expect(!machine.isPaused(.imap))
        try hang("eve", 6, now: .seconds(3))
        #expect(machine.isPaused(.imap))
    }

    @Test("An account that the server refuses says nothing against the server, however many there are")
    func refused() throws {
        var machine = ResolutionMachine(services: [.imap])
        for notice in 1...10 {
            machine.add(Int64(notice), uid: 0, Question(id: "<a@x>", account: "user\(notice)"), now: .zero)
            let ask = try #require(machine.turn(now: .zero).asks.first)
            machine.failed(ask, .refused, now: .zero)
            #expect(machine.turn(now: .zero).resolved.map(\.source) == [.unavailable])
        }
        #expect(!machine.isPaused(.imap))
    }

    @Test("Many questions that a server's end finds open count once")
    func together() throws {
        var machine = ResolutionMachine(services: [.imap])
        for notice in 1...5 {
            machine.add(Int64(notice), uid: 0, Question(id: "<a@x>", account: "user\(notice)"), now: .zero)
        }
        for ask in machine.turn(now: .zero).asks { machine.failed(ask, .server, now: .zero) }
        _ = machine.turn(now: .zero)
        machine.add(6, uid: 0, Question(id: "<a@x>"), now: .seconds(1))
        #expect(machine.turn(now: .seconds(1)).asks.map(\.notice) == [6])
    }

    @Test(
        "An account that answers again is asked as before, though its first probe met a server that was down")
    func recovery() throws {
        var machine = ResolutionMachine(services: [.imap])
        var notice: Int64 = 0
        func ask(_ now: Duration) throws -> ResolutionMachine.Ask {
            notice += 1
            machine.add(notice, uid: 0, Question(id: "<a@x>"), now: now)
            return try #require(machine.turn(now: now).asks.first)
        }
        machine.failed(try ask(.zero), .account, now: .zero)
        machine.failed(try ask(.seconds(1)), .server, now: .seconds(1))
        for second in 3...5 {
            machine.answered(
                try ask(.seconds(second)), Self.found, now: .seconds(second))
            #expect(machine.turn(now: .seconds(second)).resolved.map(\.source) == [.guid])
        }
    }

    @Test("What doveadm can't be asked waits for nothing, and is no probe of it")
    func unaskable() throws {
        var machine = ResolutionMachine(services: [.doveadm])
        machine.add(1, uid: 0, Question(id: "<a@x>"), now: .zero)
        machine.failed(try #require(machine.turn(now: .zero).asks.first), .server, now: .zero)
        _ = machine.turn(now: .zero)
        machine.add(2, uid: 0, Question(hint: 9), now: .seconds(1))
        machine.add(3, uid: 0, Question(filed: "g", account: "al?ce"), now: .seconds(1))
        machine.add(4, uid: 0, Question(id: "<a@x>", account: "al*"), now: .seconds(1))
        let actions = machine.turn(now: .seconds(1))
        #expect(actions.resolved.map(\.source) == [.hint, .unavailable, .unavailable])
        #expect(actions.asks.isEmpty && machine.isPaused(.doveadm))
    }

    @Test("A connection that was gone is replaced at once, once, and blames nobody")
    func stale() throws {
        var machine = ResolutionMachine(services: [.imap])
        machine.add(1, uid: 0, Question(id: "<a@x>"), now: .zero)
        machine.failed(try #require(machine.turn(now: .zero).asks.first), .stale, now: .milliseconds(3))
        let again = machine.turn(now: .milliseconds(3))
        machine.failed(try #require(again.asks.first), .stale, now: .milliseconds(6))
        #expect(machine.turn(now: .milliseconds(6)).resolved.map(\.source) == [.unavailable])
    }
}
