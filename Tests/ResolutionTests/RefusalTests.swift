import Resolution
import Testing

@Suite("Looking for UIDs where logins are refused or take their time")
final class RefusalTests {
    private static let found = Answer.found(
        Finding(folder: "INBOX", uidValidity: 17, clue: .guid, candidates: [.init(uid: 7)]))

    private var machine = ResolutionMachine(services: [.imap])
    private var notice: Int64 = 0

    /// Has an account's mail looked for; nil: nobody is asked.
    private func ask(_ account: String, _ now: Duration) -> ResolutionMachine.Ask? {
        notice += 1
        machine.add(notice, uid: 0, Question(id: "<a@x>", account: account), now: now)
        return machine.turn(now: now).asks.first
    }

    private func fail(_ account: String, _ failure: ResolutionMachine.Failure, _ now: Duration) throws {
        machine.failed(try #require(ask(account, now)), failure, now: now)
        #expect(machine.turn(now: now).resolved.map(\.source) == [.unavailable])
    }

    @Test("An account that is refused is left alone for 15 s, then longer and longer, and nobody else is")
    func refusedAccount() throws {
        var now = Duration.zero
        for seconds in [15, 30, 60, 120, 240, 480, 900, 900] {
            try fail("alice", .refused, now)
            #expect(machine.refusal(.imap) == .accounts(1))
            machine.answered(try #require(ask("bob", now)), Self.found, now: now)
            #expect(ask("alice", now + .seconds(seconds) - .milliseconds(1)) == nil)
            now += .seconds(seconds)
        }
        machine.answered(try #require(ask("alice", now)), Self.found, now: now)
        #expect(machine.refusal(.imap) == nil)
    }

    @Test("A secret that the server doesn't take for three accounts in a row is the secret's fault, for all")
    func lockedOut() throws {
        try fail("alice", .lockedOut, .zero)
        #expect(machine.refusal(.imap) == .secret && !machine.isPaused(.imap))
        try fail("bob", .lockedOut, .zero)
        try fail("carol", .lockedOut, .zero)
        #expect(machine.isPaused(.imap))
        #expect(ask("dave", .seconds(14)) == nil)
        try fail("dave", .lockedOut, .seconds(15))
        #expect(ask("eve", .seconds(44)) == nil)
        // Once one is let in those that were locked out with it are asked too.
        machine.answered(try #require(ask("eve", .seconds(45))), Self.found, now: .seconds(45))
        #expect(machine.refusal(.imap) == nil && !machine.isPaused(.imap))
        #expect(ask("alice", .seconds(45)) != nil)
    }

    @Test(
        "An account whose name the server takes for nobody's has only itself to blame once others are let in")
    func oneLockedOut() throws {
        machine.answered(try #require(ask("bob", .zero)), Self.found, now: .zero)
        _ = machine.turn(now: .zero)
        try fail("b b", .lockedOut, .zero)
        #expect(machine.refusal(.imap) == .accounts(1))
        machine.answered(try #require(ask("bob", .seconds(1))), Self.found, now: .seconds(1))
        _ = machine.turn(now: .seconds(1))
        #expect(ask("b b", .seconds(1)) == nil)
        #expect(!machine.isPaused(.imap))
    }

    @Test("A password that is changed under us is noticed again")
    func changedPassword() throws {
        machine.answered(try #require(ask("alice", .zero)), Self.found, now: .zero)
        _ = machine.turn(now: .zero)
        for account in ["alice", "bob", "carol"] { try fail(account, .lockedOut, .zero) }
        #expect(machine.refusal(.imap) == .secret && machine.isPaused(.imap))
    }

    @Test("While an answer is late its account isn't asked there again, whoever else is let in")
    func lateWhenFreed() throws {
        try fail("alice", .lockedOut, .zero)
        let late = try #require(ask("alice", .seconds(15)))
        let bob = try #require(ask("bob", .milliseconds(15_400)))
        #expect(machine.turn(now: .milliseconds(15_500)).contains(.abandon(late)))
        let waits = machine.waitOn(late, now: .milliseconds(15_500))
        #expect(waits)
        machine.answered(bob, Self.found, now: .milliseconds(15_500))
        #expect(ask("alice", .seconds(16)) == nil)
        machine.answered(late, Self.found, now: .seconds(17))
        #expect(ask("alice", .seconds(17)) != nil)
    }

    @Test("An answer that is late is waited for by no notice, and the next one finds the account open")
    func late() throws {
        let ask = try #require(self.ask("alice", .zero))
        let actions = machine.turn(now: .milliseconds(500))
        #expect(actions.contains(.abandon(ask)) && actions.resolved.map(\.source) == [.outOfTime])
        let waits = machine.waitOn(ask, now: .milliseconds(500))
        #expect(waits)
        #expect(self.ask("alice", .seconds(3)) == nil)
        #expect(self.ask("bob", .seconds(3)) != nil)
        machine.answered(ask, .nothing, now: .seconds(4))
        #expect(self.ask("alice", .seconds(4)) != nil)
    }

    @Test("After 20 s it is given up, and three accounts' late answers speak against the server meanwhile")
    func neverAnswered() throws {
        var asks: [ResolutionMachine.Ask] = []
        for account in ["alice", "bob", "carol"] {
            let ask = try #require(self.ask(account, .zero))
            let actions = machine.turn(now: .milliseconds(500))
            #expect(actions.contains(.abandon(ask)) && !machine.isPaused(.imap))
            let waits = machine.waitOn(ask, now: .milliseconds(500))
            #expect(waits)
            asks.append(ask)
        }
        #expect(machine.isPaused(.imap))
        _ = machine.turn(now: .seconds(1))
        #expect(machine.nextTurn() == .seconds(20))
        let given = machine.turn(now: .seconds(20))
        for ask in asks { #expect(given.contains(.abandon(ask))) }
        let waits = machine.waitOn(asks[0], now: .seconds(20))
        #expect(!waits)
        machine.failed(asks[0], .account, now: .seconds(20))
        machine.answered(asks[1], .nothing, now: .seconds(20))
        #expect(!machine.isPaused(.imap))
    }
}
