import Posix
import Queue
import SQLite
import Testing

@Suite("Counting")
struct CountsTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    @Test("A new queue counts nothing")
    func empty() throws {
        let nothing = QueueCounts(
            waiting: 0, queued: 0, deferred: 0, oldest: nil, ends: [], liveDevices: 0, suspectDevices: 0)
        #expect(try queue.store.counts(now: now) == nothing)
    }

    @Test("Waiting, queued and deferred wakes, ends and devices are told apart")
    func everything() throws {
        _ = try queue.withDeliveries(["one", "two", "three"])
        let taken = try queue.due()
        let until = now.advanced(by: .seconds(60))
        _ = try queue.store.settle(
            [
                Settlement(taken[0], .ended(.sent, reason: "200")),
                Settlement(
                    taken[1], .deferred(until: until, charged: true, reason: "Shutdown"),
                    deviceChange: .suspected(
                        reason: "BadDeviceToken", under: "here", unlessRegisteredSince: .now)),
            ], now: now)
        _ = try queue.store.register(TemporaryQueue.device(user: "bob"), now: now)
        _ = try queue.store.insert([TemporaryQueue.notice("four")], now: now)
        let expected = QueueCounts(
            waiting: 1, queued: 1, deferred: 1, oldest: now,
            ends: [.init(end: "sent", reason: "200", count: 1)],
            liveDevices: 1, suspectDevices: 1)
        #expect(try queue.store.counts(now: now) == expected)
    }

    @Test("The oldest is the mail that waits longest, whether fanned out or not")
    func oldest() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        let times = [10, 20, 30].map { now.advanced(by: .seconds($0)) }
        _ = try queue.store.insert(
            times.enumerated().map { TemporaryQueue.notice("n\($0)", at: $1) }, now: now)
        #expect(try queue.store.counts(now: now).oldest == times[0])
        try queue.fanOut()
        #expect(try queue.store.counts(now: now).oldest == times[0])
        let taken = try #require(try queue.due().first)
        _ = try queue.store.settle([Settlement(taken, .ended(.sent, reason: "200"))], now: now)
        #expect(try queue.store.counts(now: now).oldest == times[1])
    }

    @Test("An end that only another version knows is counted, not trapped on")
    func unknownEnd() throws {
        try queue.connection().run("INSERT INTO ends VALUES ('teleported', 'why not', 3)")
        #expect(
            try queue.store.counts(now: now).ends == [.init(end: "teleported", reason: "why not", count: 3)])
    }
}
