import Posix
import Queue
import Testing

@Suite("Removing devices")
struct RemovalTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now
    private let later = TemporaryQueue.now.advanced(by: .seconds(60))

    init() throws { queue = try TemporaryQueue() }

    @Test(
        "Hazard 70: a device that neither registers nor takes a push for long is swept, with what waits for it"
    )
    func swept() throws {
        let unseen = try queue.withDeliveries(["one"])
        let registered = try queue.store.register(TemporaryQueue.device(2), now: later)
        #expect(try queue.store.sweep(unseenSince: now, now: later, limit: 10).isEmpty)
        let removed = try queue.store.sweep(unseenSince: later, now: later, limit: 10)
        #expect(removed == [RemovedDevice(id: unseen, reason: "unseen")])
        #expect(try queue.ends(.dropped, "device_gone") == 1)
        let devices = try queue.store.devices()
        #expect(devices.map(\.removedReason) == ["unseen", nil])
        #expect(devices.map(\.id) == [unseen, registered])
    }

    @Test("A device that was seen lately stays, however long ago it registered")
    func seen() throws {
        _ = try queue.withDeliveries(["one"])
        let taken = try #require(try queue.due().first)
        let sent = Settlement(taken, .ended(.sent, reason: "accepted"), deviceChange: .seen(under: "here"))
        _ = try queue.store.settle([sent], now: later)
        #expect(try queue.store.sweep(unseenSince: later, now: later, limit: 10).isEmpty)
    }

    @Test("A sweep works in bounded steps")
    func bounded() throws {
        for byte in UInt8(1)...5 { _ = try queue.store.register(TemporaryQueue.device(byte), now: now) }
        let turns = try (0..<4).map { _ in
            try queue.store.sweep(unseenSince: later, now: later, limit: 2).map(\.id)
        }
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

    @Test(
        "A tombstone keeps a hash of its token under the installation's secret, and four bytes of the token itself"
    )
    func tokenHash() throws {
        let store = try QueueStore(path: queue.path, busyTimeout: .seconds(5)) { key, message in
            key.prefix(8) + message.suffix(4) + key
        }
        let device = try store.register(TemporaryQueue.device(0xA1), now: now)
        #expect(try store.devices().map(\.tokenHash) == [nil])
        _ = try store.removeDevice(device, now: now)
        let secret = try store.secret()
        #expect(
            try store.devices().map(\.tokenHash) == [
                secret.prefix(8) + [0xA1, 0xA1, 0xA1, 0xA1] + secret.prefix(4)
            ])
        #expect(try store.devices().map(\.token) == [[0xA1, 0xA1, 0xA1, 0xA1]])
    }
}
