import Posix
import SQLite
import Testing

@testable import Queue

@Suite("The newest delivery of a device and folder")
struct NewerTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now
    private let later = TemporaryQueue.now.advanced(by: .seconds(60))

    init() throws { queue = try TemporaryQueue() }

    private func due(staleBefore: WallTime) throws -> [DueDelivery] {
        try queue.store.due(now: now, limit: 1000, excluding: [], staleBefore: staleBefore)
    }

    private func newer(staleBefore: WallTime) throws -> [Int64?] {
        try due(staleBefore: staleBefore).map(\.newer)
    }

    @Test("It is told for stale deliveries only, and never for itself")
    func stale() throws {
        _ = try queue.withDeliveries(["one", "two", "three"])
        #expect(try newer(staleBefore: now) == [nil, nil, nil])
        #expect(try newer(staleBefore: later) == [3, 3, nil])
    }

    @Test("Another folder's and another device's are others")
    func others() throws {
        _ = try queue.store.register(TemporaryQueue.device(1), now: now)
        _ = try queue.store.register(TemporaryQueue.device(2), now: now)
        _ = try queue.store.insert(
            [TemporaryQueue.notice("one"), TemporaryQueue.notice("two", folder: "Lists")], now: now)
        try queue.fanOut()
        #expect(try newer(staleBefore: later) == [nil, nil, nil, nil])
    }

    @Test(
        "One that was sent counts as well as one that waits; one that ended otherwise doesn't",
        arguments: End.allCases)
    func ended(end: End) throws {
        _ = try queue.withDeliveries(["one", "two", "three"])
        let taken = try due(staleBefore: now)[2]
        _ = try queue.store.settle([Settlement(taken, .ended(end, reason: "because"))], now: now)
        #expect(try newer(staleBefore: later) == (end == .sent ? [3, 3] : [2, nil]))
    }

    @Test("It is told for all deliveries of a throttled device, even after its time")
    func throttled() throws {
        _ = try queue.withDeliveries(["one", "two"])
        let taken = try due(staleBefore: now)[0]
        let change = DeviceChange.throttled(until: now, reason: "TooManyRequests")
        _ = try queue.store.settle(
            [Settlement(taken, .deferred(until: now, charged: true, reason: ""), deviceChange: change)],
            now: now)
        #expect(try queue.due(now: later).map(\.newer) == [nil, 2])
        #expect(try queue.due(now: later).map(\.id) == [2, 1])
    }

    @Test("It is found through an index, from the newest back")
    func plan() throws {
        let step = "SEARCH deliveries USING INDEX deliveries_by_device (device=? AND folder=?)"
        #expect(try queue.store.connection.plan(of: NewestDeliveries.sql) == [step])
        #expect(try queue.store.connection.plan(of: QueueStore.newestSQL) == [step])
    }

    @Test("Retries and first tries share a claim, so that neither waits for the other's backlog")
    func shared() throws {
        _ = try queue.withDeliveries((0..<40).map { "n\($0)" })
        let taken = try queue.due().prefix(20)
        _ = try queue.store.settle(
            taken.map { Settlement($0, .deferred(until: now, charged: true, reason: "500")) }, now: now)
        let claimed = try queue.store.due(now: later, limit: 10, excluding: [])
        #expect(claimed.map(\.id) == Array(21...25) + Array(1...5))
        let all = try queue.store.due(now: later, limit: 100, excluding: [])
        #expect(all.map(\.id) == Array(21...40) + Array(1...20))
    }
}
