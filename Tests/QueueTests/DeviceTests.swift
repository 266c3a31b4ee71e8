import Posix
import Queue
import Testing

@Suite("Devices")
struct DeviceTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now
    private let later = TemporaryQueue.now.advanced(by: .seconds(60))

    init() throws { queue = try TemporaryQueue() }

    private func device(_ id: Int64) throws -> Device? { try queue.store.devices().first { $0.id == id } }

    /// Settles what is due, as failed, with this news of its device.
    private func settle(_ change: DeviceChange, at time: WallTime? = nil) throws {
        let taken = try #require(try queue.due().first)
        let settlement = Settlement(taken, .ended(.failed, reason: "because"), deviceChange: change)
        #expect(try queue.store.settle([settlement], now: time ?? now).outcomes == [.done])
    }

    @Test("A device is listed with everything it was registered with")
    func whole() throws {
        let registration = DeviceRegistration(
            user: "alice", token: [1, 2, 3], topic: "org.example.Mail", environment: "sandbox",
            platform: "macos",
            label: "Büro", appVersion: "1.2", locale: "de_CH", accountReference: "a-1",
            enabledFolders: ["INBOX", "Lists"])
        let id = try queue.store.register(registration, now: now)
        let expected = Device(
            id: id, account: 1, registration: registration, createdAt: now, registeredAt: now)
        #expect(try queue.another().devices() == [expected])
    }

    @Test("Registering a known device updates it, and no doubt or failure is left")
    func updated() throws {
        let id = try queue.withDeliveries(["one"])
        try settle(.suspected(reason: "BadDeviceToken", under: "here", unlessRegisteredSince: later))
        #expect(try device(id)?.suspectSince == now)
        var renamed = TemporaryQueue.device()
        renamed.label = "New name"
        renamed.environment = "sandbox"
        #expect(try queue.store.register(renamed, now: later) == id)
        let expected = Device(id: id, account: 1, registration: renamed, createdAt: now, registeredAt: later)
        #expect(try queue.store.devices() == [expected])
    }

    @Test("The same token for another account or topic is another device")
    func otherAccount() throws {
        var otherTopic = TemporaryQueue.device()
        otherTopic.topic = "org.example.Other"
        let ids = try [TemporaryQueue.device(), TemporaryQueue.device(user: "bob"), otherTopic].map {
            try queue.store.register($0, now: now)
        }
        #expect(ids == [1, 2, 3])
    }

    @Test("Removing a device drops what waits for it at once, and cuts its token")
    func removed() throws {
        let id = try queue.withDeliveries(["one", "two"])
        #expect(try queue.store.removeDevice(id, now: later))
        #expect(try queue.due().isEmpty)
        #expect(try queue.ends(.dropped, "device_gone") == 2)
        let tombstone = try #require(try device(id))
        #expect(tombstone.token == [0xA1, 0xA1, 0xA1, 0xA1])
        #expect(tombstone.removedAt == later)
        #expect(tombstone.removedReason == "operator")
    }

    @Test("Removing a device twice, or one that never was, says so")
    func removedTwice() throws {
        let id = try queue.store.register(TemporaryQueue.device(), now: now)
        #expect(try queue.store.removeDevice(id, now: now))
        #expect(try queue.store.removeDevice(id, now: now) == false)
        #expect(try queue.store.removeDevice(99, now: now) == false)
    }

    @Test("A removed device that registers again is a new one; the old stays removed")
    func reregistered() throws {
        let old = try queue.store.register(TemporaryQueue.device(), now: now)
        _ = try queue.store.removeDevice(old, now: now)
        let new = try queue.store.register(TemporaryQueue.device(), now: later)
        #expect(new > old)
        #expect(try device(old)?.removedAt == now)
        #expect(try device(new)?.createdAt == later)
    }

    @Test(
        "A reaped device is gone with all that waited for it, apart from the delivery that brought the news")
    func reaped() throws {
        let id = try queue.withDeliveries(["one", "two", "three"])
        try settle(.reaped(reason: "Unregistered", unlessRegisteredSince: later))
        #expect(try device(id)?.removedReason == "Unregistered")
        #expect(try queue.ends(.failed, "because") == 1)
        #expect(try queue.ends(.dropped, "device_gone") == 2)
    }

    @Test(
        "A device that registered while the answer was on its way is not blamed, and what it was sent is due again",
        arguments: [
            { .failed(reason: "Unregistered", unlessRegisteredSince: $0) },
            { .suspected(reason: "Unregistered", under: "here", unlessRegisteredSince: $0) },
            { .reaped(reason: "Unregistered", unlessRegisteredSince: $0) },
        ] as [@Sendable (WallTime) -> DeviceChange])
    func registeredSince(blame: @Sendable (WallTime) -> DeviceChange) throws {
        let id = try queue.withDeliveries(["one", "two"])
        let taken = try #require(try queue.due().first)
        _ = try queue.store.register(TemporaryQueue.device(), now: later)
        let settlement = Settlement(
            taken, .ended(.failed, reason: "Unregistered"), deviceChange: blame(later))
        #expect(try queue.store.settle([settlement], now: later).outcomes == [.deviceKept])
        let asRegistered = Device(
            id: id, account: 1, registration: TemporaryQueue.device(), createdAt: now, registeredAt: later)
        #expect(try device(id) == asRegistered)
        var expected = taken
        expected.device = asRegistered
        expected.lastReason = "Unregistered"
        #expect(try queue.due().first == expected)
        #expect(try queue.due().count == 2)
        #expect(try queue.ends(.failed, "Unregistered") == 0)
    }

    @Test(
        "A device registered in the future, by a clock since set right, is not blamed, and its delivery ends")
    func registeredInTheFuture() throws {
        let id = try queue.withDeliveries(["one"])
        let taken = try #require(try queue.due().first)
        _ = try queue.store.register(TemporaryQueue.device(), now: later)
        let settlement = Settlement(
            taken, .ended(.failed, reason: "BadDeviceToken"),
            deviceChange: .suspected(reason: "BadDeviceToken", under: "here", unlessRegisteredSince: now))
        #expect(try queue.store.settle([settlement], now: now).outcomes == [.done])
        #expect(try device(id)?.suspectSince == nil)
        #expect(try queue.due().isEmpty)
    }

    @Test("A registration blamed for an answer that another one has settled keeps nothing alive")
    func keptTooLate() throws {
        _ = try queue.withDeliveries(["one"])
        let taken = try #require(try queue.due().first)
        _ = try queue.another().settle([Settlement(taken, .ended(.sent, reason: "200"))], now: now)
        _ = try queue.store.register(TemporaryQueue.device(), now: later)
        let late = Settlement(
            taken, .ended(.failed, reason: "Unregistered"),
            deviceChange: .reaped(reason: "Unregistered", unlessRegisteredSince: later))
        #expect(try queue.store.settle([late], now: later).outcomes == [.someoneElseWasFaster])
        #expect(try queue.due().isEmpty)
    }

    @Test("A doubt keeps the date it began; a push that was taken ends it")
    func suspicion() throws {
        let id = try queue.withDeliveries(["one", "two", "three"])
        try settle(.suspected(reason: "BadDeviceToken", under: "here", unlessRegisteredSince: later))
        try settle(
            .suspected(reason: "BadDeviceToken", under: "here", unlessRegisteredSince: later), at: later)
        #expect(try device(id)?.suspectSince == now)
        #expect(try device(id)?.lastFailure == "BadDeviceToken")
        try settle(.seen(under: "here"), at: later)
        #expect(try device(id)?.suspectSince == nil)
        #expect(try device(id)?.lastFailure == nil)
        #expect(try device(id)?.lastSeenAt == later)
    }

    @Test("A failure the service blames on the device is noted and doubts nothing")
    func failed() throws {
        let id = try queue.withDeliveries(["one"])
        try settle(.failed(reason: "DeviceTokenNotForTopic", unlessRegisteredSince: later))
        #expect(try device(id)?.lastFailure == "DeviceTokenNotForTopic")
        #expect(try device(id)?.suspectSince == nil)
    }
}
