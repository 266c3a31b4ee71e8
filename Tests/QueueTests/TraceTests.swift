import Posix
import Queue
import SQLite
import Testing

@Suite("Tracing a delivery")
struct TraceTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now
    private let later = TemporaryQueue.now.advanced(by: .seconds(60))

    init() throws { queue = try TemporaryQueue() }

    @Test("An apns-id finds its delivery, notice and device, in letters of either case")
    func found() throws {
        let id = try queue.withDeliveries(["one"])
        let due = try #require(try queue.due().first)
        let expected = Trace(
            delivery: due.id, apnsID: "id-1-1", attempts: 0, nextAttemptAt: due.nextAttemptAt,
            expiration: due.expiration, notice: due.notice, insertedAt: now, decidedAt: now,
            device: try #require(due.device))
        #expect(try queue.store.trace(apnsID: "ID-1-1") == expected)
        #expect(expected.device.id == id)
        #expect(try queue.store.trace(apnsID: "id-1-2") == nil)
    }

    @Test("It tells what a delivery gave way to, and still does when that is forgotten")
    func superseded() throws {
        _ = try queue.withDeliveries(["one", "two"])
        let taken = try queue.due()
        _ = try queue.store.settle(
            [
                Settlement(taken[0], .ended(.dropped, reason: "superseded", supersededBy: 2)),
                Settlement(taken[1], .ended(.sent, reason: "accepted")),
            ], now: later)
        let trace = try #require(try queue.store.trace(apnsID: "id-1-1"))
        #expect(trace.supersededBy == Trace.Successor(delivery: 2, apnsID: "id-2-1"))
        #expect(
            (trace.end, trace.reason, trace.attempts, trace.endedAt) == ("dropped", "superseded", 0, later))
        try queue.connection().run("DELETE FROM deliveries WHERE id = 2")
        let successor = try queue.store.trace(apnsID: "id-1-1")?.supersededBy
        #expect(successor == Trace.Successor(delivery: 2, apnsID: nil))
    }

    @Test("A delivery of a removed device is found with its tombstone")
    func removed() throws {
        let id = try queue.withDeliveries(["one"])
        _ = try queue.store.removeDevice(id, now: later)
        let trace = try #require(try queue.store.trace(apnsID: "id-1-1"))
        #expect(trace.reason == "device_gone")
        #expect(trace.device.removedAt == later)
    }

    @Test("What gave way again and again is traced to the one that rang, but not for each of a flood")
    func chain() throws {
        _ = try queue.withDeliveries(["one", "two", "three"])
        let taken = try queue.due()
        _ = try queue.store.settle(
            [
                Settlement(taken[0], .ended(.dropped, reason: "superseded", supersededBy: 2)),
                Settlement(taken[1], .ended(.dropped, reason: "superseded", supersededBy: 3)),
                Settlement(taken[2], .ended(.sent, reason: "accepted")),
            ], now: later)
        #expect(try queue.store.trace(apnsID: "id-1-1")?.supersededBy?.delivery == 3)
        let wakes = try queue.store.wakes(of: "alice", limit: 9)
        #expect(wakes.count == 3 && wakes.allSatisfy { $0.deliveries[0].supersededBy == nil })
    }

    @Test("A user's wakes come newest first, each with its deliveries or its own end")
    func wakes() throws {
        _ = try queue.withDeliveries(["one", "two"])
        let wakes = try queue.store.wakes(of: "alice", limit: 10)
        #expect(wakes.map(\.notice.id) == [2, 1])
        #expect(wakes.map { $0.deliveries.map(\.apnsID) } == [["id-2-1"], ["id-1-1"]])
        #expect(try queue.store.wakes(of: "alice", limit: 1).count == 1)
        #expect(try queue.store.wakes(of: "bob", limit: 10).isEmpty)
    }
}
