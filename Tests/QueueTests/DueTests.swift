import Posix
import SQLite
import Testing

@testable import Queue

@Suite("What is due")
struct DueTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    @Test("Hazard 105: deliveries come by due time, then by id")
    func order() throws {
        _ = try queue.withDeliveries(["one", "two", "three"])
        let taken = try queue.due()
        let until = now.advanced(by: .seconds(60))
        let deferred = [taken[0], taken[1]].map {
            Settlement($0, .deferred(until: until, charged: true, reason: "InternalServerError"))
        }
        #expect(try queue.store.settle(deferred, now: now).outcomes == [.done, .done])
        #expect(try queue.due().map(\.id) == [3])
        #expect(try queue.due(now: until.advanced(by: .seconds(1))).map(\.id) == [3, 1, 2])
    }

    @Test("What is in hand isn't given again, and doesn't use up the limit")
    func inHand() throws {
        _ = try queue.withDeliveries(["one", "two", "three", "four"])
        let due = try queue.store.due(now: now, limit: 2, excluding: [1, 2, 99])
        #expect(due.map(\.id) == [3, 4])
        #expect(try queue.store.due(now: now, limit: 2, excluding: []).map(\.id) == [1, 2])
    }

    @Test("Hazards 92 and 95: what a dead dispatch had in hand is due again for the next one, unchanged")
    func deadDispatch() throws {
        _ = try queue.withDeliveries(["one", "two"])
        let taken = try queue.due()
        #expect(try queue.another().due(now: now, limit: 10, excluding: []) == taken)
    }

    @Test("A delivery shows its device and account as they are now, not as they were at fan-out")
    func rereadsDevice() throws {
        let device = try queue.withDeliveries(["one", "two"])
        var changed = TemporaryQueue.device()
        changed.enabledFolders = ["Lists", "Väter/Söhne"]
        _ = try queue.store.register(changed, now: now)
        try queue.connection().run("UPDATE accounts SET notify_push = 0")
        let due = try #require(try queue.due().first)
        #expect(due.device?.enabledFolders == ["Lists", "Väter/Söhne"])
        #expect(due.device?.id == device)
        #expect(due.pushEnabled == false)
    }

    @Test("The next due time is the earliest that is still to come")
    func nextDue() throws {
        #expect(try queue.store.nextDue() == nil)
        _ = try queue.withDeliveries(["one", "two"])
        let taken = try #require(try queue.due().first)
        let until = now.advanced(by: .seconds(60))
        _ = try queue.store.settle(
            [Settlement(taken, .deferred(until: until, charged: true, reason: "Shutdown"))], now: now)
        #expect(try queue.store.nextDue() == WallTime(milliseconds: 1_790_000_000_000))
        #expect(try queue.store.nextDue(after: now) == WallTime(milliseconds: 1_790_000_061_000))
    }

    @Test("The data version changes when another program commits, and only then")
    func dataVersion() throws {
        let before = try queue.store.dataVersion()
        _ = try queue.store.insert([TemporaryQueue.notice("own")], now: now)
        #expect(try queue.store.dataVersion() == before)
        _ = try queue.another().insert([TemporaryQueue.notice("other")], now: now)
        #expect(try queue.store.dataVersion() != before)
    }
}
