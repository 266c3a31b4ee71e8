import Posix
import SQLite
import Testing

@testable import Queue

@Suite("Devices whose token is doubted")
struct SuspectTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now
    private let later = TemporaryQueue.now.advanced(by: .seconds(60))

    init() throws { queue = try TemporaryQueue() }

    private func device(_ id: Int64) throws -> Device {
        try #require(try queue.store.devices().first { $0.id == id })
    }

    private func suspected(_ way: String) -> DeviceChange {
        .suspected(reason: "BadDeviceToken", under: way, unlessRegisteredSince: .now)
    }

    /// Settles the oldest delivery of a device with this news of it.
    @discardableResult
    private func settle(
        _ change: DeviceChange, of device: Int64, at time: WallTime? = nil, inHand: Set<Int64> = []
    ) throws -> SettleReport {
        let taken = try #require(try queue.due().first { $0.device?.id == device })
        let settlement = Settlement(taken, .ended(.failed, reason: "because"), deviceChange: change)
        return try queue.store.settle([settlement], now: time ?? now, inHand: inHand)
    }

    /// Registers so many devices and gives each so many deliveries.
    private func devices(_ count: UInt8, deliveries: Int) throws -> [Int64] {
        let ids = try (1...count).map { try queue.store.register(TemporaryQueue.device($0), now: now) }
        _ = try queue.store.insert((0..<deliveries).map { TemporaryQueue.notice("n\($0)") }, now: now)
        try queue.fanOut()
        return ids
    }

    @Test("A suspect is removed when a push to another device is taken by the same way, and it is reported")
    func suspectsRemoved() throws {
        let ids = try devices(4, deliveries: 2)
        for id in ids[1...] { try settle(suspected(id == ids[3] ? "there" : "here"), of: id) }
        let report = try settle(.seen(under: "here"), of: ids[0], at: later)
        let gone = [ids[1], ids[2]].map { RemovedDevice(id: $0, reason: "BadDeviceToken") }
        #expect(report.removed == gone)
        #expect(try ids.map { try device($0).removedAt } == [nil, later, later, nil])
        #expect(try queue.ends(.dropped, "device_gone") == 2)
    }

    @Test("Hazard 65: however many tokens are refused, nobody is removed until one is taken")
    func allRefused() throws {
        let ids = try devices(20, deliveries: 1)
        let reports = try ids.map { try settle(suspected("here"), of: $0) }
        #expect(reports.allSatisfy { $0.removed.isEmpty })
        #expect(try queue.store.counts(now: now).suspectDevices == 20)
        #expect(try queue.store.devices().allSatisfy { $0.removedAt == nil })
    }

    @Test("Hazard 65: where the way itself turns out to be at fault nobody is suspect under it any more")
    func cleared() throws {
        let ids = try devices(4, deliveries: 2)
        for id in ids[..<2] { try settle(suspected("here"), of: id) }
        try settle(suspected("there"), of: ids[2])
        try settle(.cleared(under: "here"), of: ids[3])
        #expect(try ids.map { try device($0).suspectSince } == [nil, nil, now, nil])
        #expect(try settle(.seen(under: "here"), of: ids[3]).removed.isEmpty)
    }

    @Test("A suspect that is taken in one batch with the push that spoke against it stays")
    func takenTogether() throws {
        let ids = try devices(2, deliveries: 2)
        try settle(suspected("here"), of: ids[1])
        let taken = try queue.due().filter { $0.notice.id == 2 }
        let report = try queue.store.settle(
            taken.map {
                Settlement($0, .ended(.sent, reason: "accepted"), deviceChange: .seen(under: "here"))
            }, now: later)
        #expect(report == SettleReport(outcomes: [.done, .done]))
        #expect(try device(ids[1]).removedAt == nil)
    }

    @Test("A suspect whose own push is still under way isn't removed yet")
    func inHand() throws {
        let ids = try devices(2, deliveries: 3)
        try settle(suspected("here"), of: ids[1])
        let taken = try queue.due()
        let probe = try #require(taken.first { $0.device?.id == ids[1] })
        let report = try settle(.seen(under: "here"), of: ids[0], inHand: Set(taken.map(\.id)))
        #expect(report.removed.isEmpty)
        #expect(try settle(.seen(under: "here"), of: ids[0], inHand: [probe.id + 100]).removed.count == 1)
    }

    @Test("A doubt that arose after a push was taken isn't decided by it, not even in the same batch")
    func doubtedAfter() throws {
        let ids = try devices(2, deliveries: 1)
        let taken = try queue.due()
        let report = try queue.store.settle(
            [
                Settlement(taken[0], .ended(.sent, reason: "accepted"), deviceChange: .seen(under: "here")),
                Settlement(
                    taken[1], .ended(.failed, reason: "BadDeviceToken"), deviceChange: suspected("here")),
            ], now: later)
        #expect(report.removed.isEmpty)
        #expect(try device(ids[1]).suspectSince == later)
    }

    @Test("A suspect that is taken itself is no suspect any more, and isn't removed by that")
    func suspectSeen() throws {
        let id = try devices(1, deliveries: 2)[0]
        try settle(suspected("here"), of: id)
        #expect(try settle(.seen(under: "here"), of: id).removed.isEmpty)
        #expect(try device(id).suspectSince == nil)
    }

    @Test("A suspect that has registered again is none, whatever is taken then")
    func suspectRegistered() throws {
        let ids = try devices(2, deliveries: 1)
        try settle(suspected("here"), of: ids[1])
        _ = try queue.store.register(TemporaryQueue.device(2), now: later)
        #expect(try settle(.seen(under: "here"), of: ids[0], at: later).removed.isEmpty)
    }

    @Test("A doubt that stands counts for the way it was confirmed by, with the date of the first")
    func confirmed() throws {
        let ids = try devices(2, deliveries: 2)
        try settle(suspected("old key"), of: ids[1])
        try settle(suspected("new key"), of: ids[1], at: later)
        #expect(try device(ids[1]).suspectSince == now)
        #expect(try device(ids[1]).lastFailedAt == later)
        #expect(try settle(.seen(under: "old key"), of: ids[0]).removed.isEmpty)
        #expect(try settle(.seen(under: "new key"), of: ids[0]).removed.map(\.id) == [ids[1]])
    }

    @Test("Suspects are found through an index of their own")
    func plan() throws {
        let plan = try queue.store.connection.plan(of: QueueStore.suspectsSQL)
        #expect(plan == ["SEARCH devices USING INDEX devices_suspect (suspect_under=?)"])
    }
}
