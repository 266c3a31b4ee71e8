import Posix
import Testing

@testable import Queue

@Suite("What dispatch dies of")
struct PoisonTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws {
        queue = try TemporaryQueue()
        _ = try queue.withDeliveries(["one", "two", "three"])
        #expect(try queue.store.beginDispatch(now: now) == nil)
    }

    /// Takes in hand what there is to take while deaths are looked into.
    private func take(_ doubted: Set<Int64>, excluding inHand: Set<Int64> = [], limit: Int = 10) throws
        -> [Int64]
    {
        try queue.store.due(
            now: now, limit: limit, excluding: inHand, environment: "production", topic: "org.example.Mail",
            staleBefore: now, noting: doubted
        ).map(\.id)
    }

    /// Begins without having ended.
    private func die() throws -> UncleanEnd {
        try #require(try queue.store.beginDispatch(now: now))
    }

    @Test("After a clean end nothing is doubted, whatever was in hand")
    func cleanEnd() throws {
        #expect(try die() == UncleanEnd())
        _ = try take([])
        try queue.store.endDispatch()
        #expect(try queue.store.beginDispatch(now: now) == nil)
        #expect(try die() == UncleanEnd())
    }

    @Test("What isn't noted isn't doubted: the first death finds nothing")
    func firstDeath() throws {
        _ = try queue.due()
        #expect(try die() == UncleanEnd())
        #expect(try take([]) == [1, 2, 3])
        #expect(try die().doubted == [1, 2, 3])
    }

    @Test("Of what is doubted one is given at a time, beside what nobody doubts")
    func oneAtATime() throws {
        _ = try queue.store.insert([TemporaryQueue.notice("four")], now: now)
        try queue.fanOut()
        #expect(try take([1, 2, 3]) == [1, 4])
        #expect(try take([1, 2, 3], excluding: [1, 2, 3, 4]) == [])
        #expect(try take([1, 2, 3], limit: 1) == [1])
        #expect(try take([2, 3], excluding: [4]) == [1, 2])
    }

    @Test("A delivery in hand at four deaths fails as poison, what was beside it at the first one doesn't")
    func poison() throws {
        _ = try die()
        _ = try take([])
        for _ in 1...3 { #expect(try take(die().doubted) == [1]) }
        let end = try die()
        #expect(end == UncleanEnd(doubted: [2, 3], poisoned: ["id-1-1"]))
        #expect(try queue.ends(.failed, "poison") == 1)
        #expect(try queue.store.trace(apnsID: "id-1-1")?.end == "failed")
        #expect(try queue.due().map(\.id) == [2, 3])
        #expect(try die().poisoned == [])
    }

    @Test("Poison keeps the reason of its last try behind its own")
    func lastReason() throws {
        let taken = try #require(try queue.due().first)
        let later = Outcome.deferred(until: now, charged: true, reason: "status 500")
        _ = try queue.store.settle([Settlement(taken, later)], now: now)
        _ = try die()
        for _ in 1...4 {
            _ = try queue.store.due(
                now: now.advanced(by: .seconds(1)), limit: 10, excluding: [2, 3], environment: "production",
                topic: "org.example.Mail", staleBefore: now, noting: [])
            _ = try queue.store.beginDispatch(now: now)
        }
        #expect(try queue.store.trace(apnsID: "id-1-1")?.reason == "poison after status 500")
    }

    @Test("What came out of hand alive is blameless, whatever came of it")
    func settled() throws {
        _ = try die()
        _ = try take([])
        let taken = try queue.due()
        let later = Outcome.deferred(until: now, charged: false, reason: "lost")
        _ = try queue.store.settle(
            [Settlement(taken[0], later), Settlement(taken[1], .ended(.sent, reason: "accepted"))], now: now)
        #expect(try die().doubted == [3])
    }

    @Test("What is put back isn't in hand, and stays as doubted as it was")
    func putBack() throws {
        _ = try die()
        _ = try take([])
        try queue.store.putBack([1, 2])
        #expect(try die().doubted == [3])
        _ = try take([3])
        try queue.store.putBack([1, 2, 3])
        for _ in 1...4 { #expect(try die() == UncleanEnd(doubted: [3])) }
    }

    @Test("What somebody else has ended is neither doubted nor poison")
    func endedMeanwhile() throws {
        _ = try die()
        _ = try take([])
        _ = try queue.store.removeDevice(1, now: now)
        #expect(try die() == UncleanEnd())
    }
}
