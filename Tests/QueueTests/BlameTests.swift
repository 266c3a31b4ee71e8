import Posix
import SQLite
import Testing

@testable import Queue

@Suite("What answers tell of devices")
struct BlameTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now
    private let later = TemporaryQueue.now.advanced(by: .seconds(60))
    private let wrongTopic = DeviceChange.struck(
        reason: "DeviceTokenNotForTopic", unlessRegisteredSince: .now)

    init() throws { queue = try TemporaryQueue() }

    private func device(_ id: Int64) throws -> Device {
        try #require(try queue.store.devices().first { $0.id == id })
    }

    /// Settles the oldest delivery of a device with this news of it.
    @discardableResult
    private func settle(_ change: DeviceChange, of device: Int64, at time: WallTime? = nil) throws
        -> SettleReport
    {
        let taken = try #require(try queue.due().first { $0.device?.id == device })
        let settlement = Settlement(taken, .ended(.failed, reason: "because"), deviceChange: change)
        return try queue.store.settle([settlement], now: time ?? now)
    }

    /// Registers so many devices and gives each so many deliveries.
    private func devices(_ count: UInt8, deliveries: Int) throws -> [Int64] {
        let ids = try (1...count).map { try queue.store.register(TemporaryQueue.device($0), now: now) }
        _ = try queue.store.insert((0..<deliveries).map { TemporaryQueue.notice("n\($0)") }, now: now)
        try queue.fanOut()
        return ids
    }

    @Test("A failure is kept with its time, until the device is seen")
    func failed() throws {
        let id = try devices(1, deliveries: 2)[0]
        try settle(.failed(reason: "Unregistered", unlessRegisteredSince: .now), of: id, at: later)
        #expect(try device(id).lastFailure == "Unregistered")
        #expect(try device(id).lastFailedAt == later)
        try settle(.seen(under: "here"), of: id)
        #expect(try device(id).lastFailedAt == nil)
    }

    @Test("The third strike disables a device, and is reported once")
    func strikes() throws {
        let id = try devices(1, deliveries: 4)[0]
        let reports = try (0..<4).map { _ in try settle(wrongTopic, of: id) }
        #expect(reports.map(\.disabled) == [[], [], [id], []])
        #expect(try device(id).disabledAt == now)
        #expect(try device(id).removedAt == nil)
        #expect(try device(id).lastFailure == "DeviceTokenNotForTopic")
        #expect(try queue.store.counts(now: now).disabledDevices == 1)
        #expect(try queue.store.counts(now: now).liveDevices == 0)
    }

    @Test("Strikes for what was under way together are one; the next is for what was asked after that")
    func strikesTogether() throws {
        let id = try devices(1, deliveries: 5)[0]
        func struck(askedAt: Int) -> DeviceChange {
            .struck(
                reason: "DeviceTokenNotForTopic",
                unlessRegisteredSince: now.advanced(by: .milliseconds(askedAt)))
        }
        let answered = now.advanced(by: .milliseconds(100))
        for askedAt in [1, 2, 99] { try settle(struck(askedAt: askedAt), of: id, at: answered) }
        #expect(try device(id).strikes == 1)
        #expect(try device(id).disabledAt == nil)
        try settle(struck(askedAt: 100), of: id, at: later)
        #expect(try device(id).strikes == 2)
    }

    @Test("A push that is taken clears the strikes")
    func cleared() throws {
        let id = try devices(1, deliveries: 5)[0]
        for change in [wrongTopic, wrongTopic, .seen(under: "here"), wrongTopic, wrongTopic] {
            try settle(change, of: id)
        }
        #expect(try device(id).strikes == 2)
        #expect(try device(id).disabledAt == nil)
    }

    @Test("A disabled device that registers again has no strike")
    func registered() throws {
        let id = try devices(1, deliveries: 3)[0]
        for _ in 0..<3 { try settle(wrongTopic, of: id) }
        _ = try queue.store.register(TemporaryQueue.device(1), now: later)
        #expect(
            try device(id)
                == Device(
                    id: id, account: 1, registration: TemporaryQueue.device(1), createdAt: now,
                    registeredAt: later))
    }

    @Test("A strike earned before the device registered again counts for nothing")
    func escaped() throws {
        let id = try devices(1, deliveries: 1)[0]
        try settle(.struck(reason: "DeviceTokenNotForTopic", unlessRegisteredSince: now), of: id, at: later)
        #expect(try device(id).strikes == 0)
        #expect(try device(id).lastFailure == nil)
    }

    @Test(
        "A count of strikes that nobody can have earned disables and does no other harm",
        arguments: [Int64.max, .min])
    func absurd(strikes: Int64) throws {
        let id = try devices(1, deliveries: 1)[0]
        try queue.connection().run("UPDATE devices SET strikes = ?1, throttles = ?1", [.integer(strikes)])
        #expect(try device(id).throttles == (strikes > 0 ? 1_000_000 : 0))
        #expect(try settle(wrongTopic, of: id).disabled == (strikes > 0 ? [id] : []))
    }

    @Test("Refusals of what was under way together throttle a device once, until the latest of their times")
    func throttled() throws {
        let id = try devices(1, deliveries: 4)[0]
        let times = [10, 30, 20].map { now.advanced(by: .seconds($0)) }
        for until in times { try settle(.throttled(until: until, reason: "TooManyRequests"), of: id) }
        #expect(try device(id).throttles == 1)
        #expect(try device(id).throttledUntil == times[1])
        #expect(try device(id).lastFailure == "TooManyRequests")
        try settle(
            .throttled(until: later.advanced(by: .seconds(60)), reason: "TooManyRequests"), of: id, at: later)
        #expect(try device(id).throttles == 2)
        #expect(try queue.store.counts(now: later).throttledDevices == 1)
        #expect(try queue.store.counts(now: later.advanced(by: .seconds(61))).throttledDevices == 0)
    }

    @Test("A throttle outlives a registration, which changes no token, and ends with a push that is taken")
    func throttleEnds() throws {
        let id = try devices(1, deliveries: 2)[0]
        try settle(.throttled(until: later, reason: "TooManyRequests"), of: id)
        _ = try queue.store.register(TemporaryQueue.device(1), now: now)
        #expect(try device(id).throttledUntil == later)
        try settle(.seen(under: "here"), of: id)
        #expect(try device(id).throttledUntil == nil)
        #expect(try device(id).throttles == 0)
    }
}
