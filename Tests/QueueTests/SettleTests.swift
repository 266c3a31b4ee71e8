import Foundation
import Posix
import Queue
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite("Settling")
struct SettleTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now
    private let sent = Outcome.ended(.sent, reason: "200")

    init() throws { queue = try TemporaryQueue() }

    @Test("A delivery that ended is not due again and counts once", arguments: End.allCases)
    func ended(end: End) throws {
        _ = try queue.withDeliveries(["one"])
        let taken = try #require(try queue.due().first)
        let settlement = Settlement(taken, .ended(end, reason: "because"))
        #expect(try queue.store.settle([settlement], now: now).outcomes == [.done])
        #expect(try queue.store.settle([settlement], now: now).outcomes == [.someoneElseWasFaster])
        #expect(try queue.due().isEmpty)
        #expect(try queue.ends(end, "because") == 1)
    }

    @Test("A deferred delivery waits until its time, rounded up to a second, and keeps what it sends")
    func deferred() throws {
        _ = try queue.withDeliveries(["one"])
        let taken = try #require(try queue.due().first)
        let until = WallTime(milliseconds: 1_790_000_015_001)
        let outcome = Outcome.deferred(until: until, charged: true, reason: "TooManyRequests")
        #expect(try queue.store.settle([Settlement(taken, outcome)], now: now).outcomes == [.done])
        #expect(try queue.due(now: WallTime(milliseconds: 1_790_000_015_999)).isEmpty)
        var expected = taken
        expected.attempts = 1
        expected.nextAttemptAt = WallTime(milliseconds: 1_790_000_016_000)
        expected.lastReason = "TooManyRequests"
        #expect(try queue.due(now: expected.nextAttemptAt) == [expected])
    }

    @Test("A deferral for our own trouble charges no attempt")
    func uncharged() throws {
        _ = try queue.withDeliveries(["one"])
        let taken = try #require(try queue.due().first)
        let outcome = Outcome.deferred(until: now, charged: false, reason: "lane_paused")
        _ = try queue.store.settle([Settlement(taken, outcome)], now: now)
        #expect(try queue.due(now: now.advanced(by: .seconds(1))).map(\.attempts) == [0])
    }

    @Test("Hazard 97: a settle that comes after another one changes nothing, neither the end nor the device")
    func late() throws {
        let device = try queue.withDeliveries(["one"])
        let taken = try #require(try queue.due().first)
        _ = try queue.another().settle([Settlement(taken, sent)], now: now)
        let late = Settlement(
            taken, .ended(.failed, reason: "Unregistered"),
            deviceChange: .reaped(reason: "Unregistered", unlessRegisteredSince: .now))
        #expect(try queue.store.settle([late], now: now).outcomes == [.someoneElseWasFaster])
        #expect(try queue.ends(.failed, "Unregistered") == 0)
        #expect(try queue.store.devices().map(\.removedAt) == [nil])
        #expect(try queue.store.devices().map(\.id) == [device])
    }

    @Test("A delivery taken before it was deferred can't be settled as it was")
    func guarded() throws {
        _ = try queue.withDeliveries(["one"])
        let taken = try #require(try queue.due().first)
        let later = Outcome.deferred(until: now.advanced(by: .seconds(9)), charged: false, reason: "Shutdown")
        _ = try queue.store.settle([Settlement(taken, later)], now: now)
        #expect(
            try queue.store.settle([Settlement(taken, sent)], now: now).outcomes == [.someoneElseWasFaster])
    }

    @Test(
        "A row whose attempts nobody can have made is sent and settled like any other",
        arguments: [(Int64.max, 1_000_000), (.min, 0), (-1, 0)])
    func absurdAttempts(stored: Int64, read: Int) throws {
        _ = try queue.withDeliveries(["one"])
        try queue.connection().run("UPDATE deliveries SET attempts = ?1", [.integer(stored)])
        let taken = try #require(try queue.due().first)
        #expect(taken.attempts == read)
        let again = Outcome.deferred(until: now, charged: true, reason: "Shutdown")
        #expect(try queue.store.settle([Settlement(taken, again)], now: now).outcomes == [.done])
        let retaken = try #require(try queue.due(now: now.advanced(by: .seconds(1))).first)
        #expect(retaken.attempts == min(read + 1, 1_000_000))
        #expect(try queue.store.settle([Settlement(retaken, sent)], now: now).outcomes == [.done])
    }

    @Test("Hazard 91: programs that settle the same deliveries at once settle each exactly once")
    func exactlyOnce() throws {
        _ = try queue.withDeliveries((0..<200).map { "n\($0)" })
        let done = Mutex(0)
        let failures = Mutex<[String]>([])
        let path = queue.path
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                let store = try QueueStore(path: path, busyTimeout: .seconds(30))
                let now = TemporaryQueue.now
                while case let taken = try store.due(now: now, limit: 20, excluding: []), !taken.isEmpty {
                    let settled = try store.settle(
                        taken.map { Settlement($0, .ended(.sent, reason: "200")) }, now: now)
                    done.withLock { $0 += settled.outcomes.count { $0 == .done } }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(done.withLock { $0 } == 200)
        #expect(try queue.ends(.sent, "200") == 200)
    }

    @Test("Hazard 105: fanning out, settling and forgetting at once end each wake exactly once")
    func everybodyAtOnce() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        _ = try queue.store.insert((0..<200).map { TemporaryQueue.notice("n\($0)") }, now: now)
        let done = Mutex(0)
        let failures = Mutex<[String]>([])
        let (path, now) = (queue.path, now)
        let everything = QueueCounts(ends: [.init(end: "sent", reason: "200", count: 200)], liveDevices: 1)
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            do {
                let store = try QueueStore(path: path, busyTimeout: .seconds(30))
                for _ in 0..<1000 where try store.counts(now: now) != everything {
                    _ = try store.fanOut(limit: 7, now: now) { notice, recipients in
                        .deliver(
                            recipients.devices.map {
                                NewDelivery(
                                    device: $0.device.id, apnsID: "\(notice.id)", collapseID: nil,
                                    expiration: .now)
                            })
                    }
                    let taken = try store.due(now: now, limit: 5, excluding: [])
                    let settled = try store.settle(
                        taken.map { Settlement($0, .ended(.sent, reason: "200")) }, now: now)
                    done.withLock { $0 += settled.outcomes.count { $0 == .done } }
                    _ = try store.prune(endedBefore: now.advanced(by: .seconds(1)), limit: 3)
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(done.withLock { $0 } == 200)
    }

    @Test("A long foreign reason is kept up to 100 bytes of whole characters")
    func longReason() throws {
        _ = try queue.withDeliveries(["one"])
        let taken = try #require(try queue.due().first)
        let reason = String(repeating: "€", count: 5000)
        _ = try queue.store.settle([Settlement(taken, .ended(.failed, reason: reason))], now: now)
        #expect(try queue.ends(.failed, String(repeating: "€", count: 33)) == 1)
    }
}
