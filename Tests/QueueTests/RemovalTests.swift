import Posix
import Queue
import SQLite
import Testing

@Suite("Removing devices")
struct RemovalTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now
    private let later = TemporaryQueue.now.advanced(by: .seconds(60))

    init() throws { queue = try TemporaryQueue() }

    /// Registers one that takes a push later on: its lane works.
    private func seen(_ byte: UInt8, topic: String = "org.example.Mail") throws -> Int64 {
        var device = TemporaryQueue.device(byte, user: "bob")
        device.topic = topic
        let id = try queue.store.register(device, now: now)
        try queue.connection().run(
            "UPDATE devices SET last_seen_at = ?2 WHERE id = ?1",
            [.integer(id), .integer(later.milliseconds)])
        return id
    }

    private func sweep(unseenSince time: WallTime, limit: Int = 10) throws -> [RemovedDevice] {
        try queue.store.sweep(unseenSince: time, othersSince: later, now: later, limit: limit)
    }

    @Test(
        "Hazard 70: a device that neither registers nor takes a push for long is swept, with what waits for it"
    )
    func swept() throws {
        let unseen = try queue.withDeliveries(["one"])
        let registered = try queue.store.register(TemporaryQueue.device(2), now: later)
        let seen = try seen(3)
        #expect(try sweep(unseenSince: now).isEmpty)
        let removed = try sweep(unseenSince: later)
        #expect(removed == [RemovedDevice(id: unseen, reason: "unseen")])
        #expect(try queue.ends(.dropped, "device_gone") == 1)
        let devices = try queue.store.devices()
        #expect(devices.map(\.removedReason) == ["unseen", nil, nil])
        #expect(devices.map(\.id) == [unseen, registered, seen])
    }

    @Test("Where no device of the lane was seen lately none is swept: nothing may have arrived there")
    func laneUnseen() throws {
        _ = try queue.withDeliveries(["one"])
        _ = try seen(2, topic: "org.example.Other")
        #expect(try sweep(unseenSince: later).isEmpty)
        let moment = later.advanced(by: .milliseconds(1))
        _ = try seen(3)
        #expect(
            try queue.store.sweep(unseenSince: later, othersSince: moment, now: moment, limit: 10).isEmpty)
        #expect(try sweep(unseenSince: later).count == 1)
    }

    @Test("A device that was seen lately stays, however long ago it registered")
    func seenLately() throws {
        _ = try queue.withDeliveries(["one"])
        let taken = try #require(try queue.due().first)
        let sent = Settlement(taken, .ended(.sent, reason: "accepted"), deviceChange: .seen(under: "here"))
        _ = try queue.store.settle([sent], now: later)
        #expect(try sweep(unseenSince: later).isEmpty)
    }

    @Test("A sweep works in bounded steps")
    func bounded() throws {
        for byte in UInt8(1)...5 { _ = try queue.store.register(TemporaryQueue.device(byte), now: now) }
        _ = try seen(6)
        let turns = try (0..<4).map { _ in try sweep(unseenSince: later, limit: 2).map(\.id) }
        #expect(turns == [[1, 2], [3, 4], [5], []])
    }

    @Test("The time of the last sweep is kept, in a queue that has no secret yet too")
    func sweptAt() throws {
        #expect(try queue.store.sweptAt() == nil)
        try queue.store.markSwept(at: now)
        try queue.store.markSwept(at: later)
        #expect(try queue.another().sweptAt() == later)
        #expect(try queue.store.secret().count == 32)
    }

    @Test("Of a token a tombstone keeps four bytes and the hash it was looked up by")
    func tombstone() throws {
        let device = try queue.store.register(TemporaryQueue.device(0xA1), now: now)
        func kept() throws -> [[[UInt8]]] {
            try queue.connection().query("SELECT token, token_hash, sealed_token FROM devices") { row in
                (0..<3).map { row.blob($0) }
            }
        }
        let before = try kept()[0]
        #expect(before[2].count == 12 + 32 + 16)
        _ = try queue.store.removeDevice(device, now: now)
        #expect(try kept() == [[[0xA1, 0xA1, 0xA1, 0xA1], before[1], []]])
        #expect(before[1].count == 32)
    }

    @Test("All devices are removed at once, those of all users, and nobody twice")
    func all() throws {
        _ = try queue.withDeliveries(["one"])
        _ = try queue.store.register(TemporaryQueue.device(0xB1, user: "bob"), now: now)
        #expect(try queue.store.removeAllDevices(now: later) == 2)
        #expect(try queue.store.removeAllDevices(now: later) == 0)
        #expect(try queue.store.devices().map(\.removedReason) == ["operator", "operator"])
        #expect(try queue.ends(.dropped, "device_gone") == 1)
    }
}
