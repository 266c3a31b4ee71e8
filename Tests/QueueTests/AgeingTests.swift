import Posix
import SQLite
import TestSupport
import Testing

@testable import Queue

@Suite("Ageing")
struct AgeingTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now
    private let tomorrow = TemporaryQueue.now.advanced(by: .seconds(86_400))

    init() throws { queue = try TemporaryQueue() }

    private func settleAll(at time: WallTime) throws {
        let settlements = try queue.due().map { Settlement($0, .ended(.sent, reason: "200")) }
        _ = try queue.store.settle(settlements, now: time)
    }

    @Test("A delivery past its expiration ends expired, unless it is in hand")
    func expire() throws {
        _ = try queue.withDeliveries(["one", "two"])
        #expect(try queue.store.expire(now: now, limit: 10, excluding: []) == 0)
        #expect(try queue.store.expire(now: tomorrow, limit: 10, excluding: [1]) == 1)
        #expect(try queue.due().map(\.id) == [1])
        #expect(try queue.ends(.expired, "expired") == 1)
    }

    @Test("Expiring works off a backlog in bounded steps")
    func expireLimit() throws {
        _ = try queue.withDeliveries(["one", "two", "three"])
        #expect(try queue.store.expire(now: tomorrow, limit: 2, excluding: []) == 2)
        #expect(try queue.store.expire(now: tomorrow, limit: 2, excluding: []) == 1)
    }

    @Test("Where nothing is sent, old mail's wakes end dropped, fanned out or not, and young mail's wait")
    func dropUnsent() throws {
        _ = try queue.withDeliveries(["old, fanned out"])
        let young = TemporaryQueue.notice("young", at: tomorrow)
        _ = try queue.store.insert([TemporaryQueue.notice("old"), young], now: now)
        let dropped = try queue.store.dropUnsent(
            olderThan: tomorrow, reason: .pushOff, now: tomorrow, limit: 10)
        #expect(dropped == 2)
        #expect(try queue.ends(.dropped, "push_off") == 2)
        #expect(try queue.due().isEmpty)
        #expect(try queue.store.counts(now: now).waiting == 1)
    }

    @Test("Dropping works off a backlog in bounded steps")
    func dropLimit() throws {
        _ = try queue.withDeliveries(["one", "two"])
        _ = try queue.store.insert([TemporaryQueue.notice("three"), TemporaryQueue.notice("four")], now: now)
        let turns = try (0..<3).map { _ in
            try queue.store.dropUnsent(olderThan: tomorrow, reason: .pushOff, now: tomorrow, limit: 3)
        }
        #expect(turns == [3, 1, 0])
    }

    @Test(
        "What waits beyond what may be, first tries, retries and devices, was told so by a wrong clock and waits no more"
    )
    func pulledForward() throws {
        _ = try queue.withDeliveries(["fresh", "tried", "soon", "in hand"])
        let far = now.advanced(by: .seconds(1_000_000))
        let taken = try queue.due()
        _ = try queue.store.settle(
            [
                Settlement(
                    taken[0], .deferred(until: far, charged: false, reason: ""),
                    deviceChange: .throttled(until: far, reason: "TooManyRequests")),
                Settlement(taken[1], .deferred(until: far, charged: true, reason: "")),
                Settlement(taken[2], .deferred(until: tomorrow, charged: true, reason: "")),
                Settlement(taken[3], .deferred(until: far, charged: true, reason: "")),
            ], now: now)
        let inHand = try #require(try queue.due(now: far.advanced(by: .seconds(1))).first { $0.id == 4 })
        let turns = try (0..<3).map { _ in
            try queue.store.pullForward(
                waitingBeyond: tomorrow.advanced(by: .seconds(1)), now: now, limit: 1, excluding: [4])
        }
        #expect(turns == [1, 1, 0])
        #expect(try queue.due().map(\.id) == [1, 2])
        #expect(try queue.store.devices().map(\.throttledUntil) == [now])
        let sent = Settlement(inHand, .ended(.sent, reason: "accepted"))
        #expect(try queue.store.settle([sent], now: now).outcomes == [.done])
    }

    @Test("What waits too long is found through the index of what is due")
    func pullPlan() throws {
        let plan = try queue.store.connection.plan(of: QueueStore.pullDeliveriesSQL)
        let range = "(lane=? AND <expr>=? AND next_attempt_at>?)"
        let step = "SEARCH deliveries USING COVERING INDEX deliveries_due \(range)"
        #expect(plan.first == step)
    }

    @Test("What ended long ago is forgotten whole; what is open or ended lately stays whole")
    func prune() throws {
        _ = try queue.withDeliveries(["ended"])
        try settleAll(at: now)
        _ = try queue.store.insert([TemporaryQueue.notice("dropped")], now: now)
        _ = try queue.store.fanOut(limit: 1, now: now) { _, _ in .drop(.unreachable) }
        _ = try queue.withDeliveries(["ended lately"])
        try settleAll(at: tomorrow)
        _ = try queue.withDeliveries(["open"])
        _ = try queue.store.insert([TemporaryQueue.notice("waiting")], now: now)
        #expect(try queue.store.prune(endedBefore: tomorrow, limit: 100) == 2)
        let left = try queue.connection().query("SELECT spool_name FROM notices ORDER BY id") { $0.text(0) }
        #expect(left == ["ended lately", "open", "waiting"])
        #expect(try queue.connection().query("SELECT notice FROM deliveries") { $0.integer(0) } == [3, 4])
        #expect(try queue.ends(.sent, "200") == 2)
    }

    @Test("Old notices that are still open hold up no forgetting of younger ones, in full batches to the end")
    func pruneBehindOpen() throws {
        _ = try queue.withDeliveries(["open one", "open two", "open three"])
        _ = try queue.store.insert((0..<3).map { TemporaryQueue.notice("n\($0)") }, now: now)
        _ = try queue.store.fanOut(limit: 3, now: now) { _, _ in .drop(.unreachable) }
        let turns = try (0..<3).map { _ in try queue.store.prune(endedBefore: tomorrow, limit: 2) }
        #expect(turns == [2, 1, 0])
        #expect(try queue.due().count == 3)
    }

    @Test("What ended is found through the index of when it was decided, without sorting")
    func prunePlan() throws {
        let plan = try queue.store.connection.plan(of: QueueStore.endedSQL)
        #expect(plan.first == "SEARCH notices USING COVERING INDEX notices_decided (decided_at<?)")
        #expect(plan.allSatisfy { !$0.contains("TEMP B-TREE") && !$0.hasPrefix("SCAN") })
    }

    @Test("A tombstone stays until its last delivery is forgotten, and its id is never used again")
    func tombstones() throws {
        let id = try queue.withDeliveries(["one"])
        _ = try queue.store.removeDevice(id, now: now)
        _ = try queue.store.prune(endedBefore: now, limit: 100)
        #expect(try queue.store.devices().map(\.id) == [id])
        #expect(try queue.store.prune(endedBefore: tomorrow, limit: 100) == 1)
        #expect(try queue.store.devices().isEmpty)
        #expect(try queue.store.register(TemporaryQueue.device(), now: tomorrow) > id)
    }

    @Test("Forgetting gives the space back to the file system")
    func space() throws {
        _ = try queue.withDeliveries((0..<1000).map { "n\($0)" })
        try settleAll(at: now)
        func pages() throws -> Int {
            try queue.connection().first("PRAGMA page_count") { $0.integer(0) } ?? 0
        }
        let before = try pages()
        while try queue.store.prune(endedBefore: tomorrow, limit: 500) > 0 {}
        let after = try pages()
        #expect(after < before / 3)
    }
}
