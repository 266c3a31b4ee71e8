import Posix
import SQLite
import Testing

@testable import Queue

@Suite("Lanes")
struct LaneTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    private var mac: DeviceRegistration {
        var mac = TemporaryQueue.device(2)
        mac.environment = "sandbox"
        return mac
    }

    private func dueInSandbox() throws -> [DueDelivery] {
        try queue.store.due(
            now: now, limit: 10, excluding: [], environment: "sandbox", topic: mac.topic,
            staleBefore: now)
    }

    private func environments() throws -> [String] { try queue.store.lanes().map(\.environment) }

    @Test("A lane sees its own deliveries only, and lanes are those of live devices")
    func lanes() throws {
        _ = try queue.withDeliveries(["one"])
        let id = try queue.store.register(mac, now: now)
        _ = try queue.store.insert([TemporaryQueue.notice("two")], now: now)
        try queue.fanOut()
        #expect(try dueInSandbox().map(\.device?.id) == [id])
        #expect(try queue.due().count == 2)
        #expect(try environments() == ["production", "sandbox"])
        _ = try queue.store.removeDevice(id, now: now)
        #expect(try environments() == ["production"])
    }

    @Test("A lane that open deliveries wait on is one, whatever became of the device")
    func waiting() throws {
        let id = try queue.withDeliveries(["one"])
        try queue.connection().run("UPDATE devices SET removed_at = 1 WHERE id = ?1", [.integer(id)])
        #expect(try environments() == ["production"])
        #expect(try queue.due().map(\.device) == [nil])
    }

    @Test("What waits for a device moves with it when it registers in another environment")
    func moved() throws {
        let id = try queue.withDeliveries(["sent", "waiting"])
        let sent = try #require(try queue.due().first)
        _ = try queue.store.settle([Settlement(sent, .ended(.sent, reason: "200"))], now: now)
        var moved = TemporaryQueue.device()
        moved.environment = "sandbox"
        #expect(try queue.store.register(moved, now: now) == id)
        #expect(try queue.due().isEmpty)
        #expect(try dueInSandbox().map(\.id) == [2])
        #expect(try dueInSandbox().first?.device?.environment == "sandbox")
        #expect(try environments() == ["sandbox"])
    }

    @Test("The next due time is the earliest of all lanes")
    func nextDue() throws {
        _ = try queue.store.register(mac, now: now)
        _ = try queue.withDeliveries(["one"])
        let deferrals = [9, 5].map {
            Outcome.deferred(until: now.advanced(by: .seconds($0)), charged: true, reason: "")
        }
        let taken = try queue.due() + dueInSandbox()
        _ = try queue.store.settle(zip(taken, deferrals).map { Settlement($0, $1) }, now: now)
        #expect(try queue.store.nextDue() == WallTime(milliseconds: 1_790_000_006_000))
    }

    @Test("What is due on a lane, and when next, is found without a look at other lanes or beyond the limit")
    func plan() throws {
        let connection = queue.store.connection
        let index = "deliveries USING COVERING INDEX deliveries_due"
        let due = try connection.plan(of: QueueStore.dueSQL)
        #expect(due.first == "SEARCH \(index) (lane=? AND <expr>=? AND next_attempt_at<?)")
        let next = try connection.plan(of: QueueStore.nextDueSQL)
        #expect(next.contains("SEARCH \(index) (lane=? AND <expr>=? AND next_attempt_at>?)"))
        let lanes = try connection.plan(of: QueueStore.lanesSQL)
        #expect(lanes.contains("SEARCH \(index) (lane=?)"))
        #expect((due + next + lanes).allSatisfy { !$0.contains("TEMP B-TREE") })
        #expect(try connection.plan(of: QueueStore.expiredSQL) == ["SCAN \(index)"])
    }
}
