import Posix
import SQLite
import TestSupport
import Testing

@testable import Queue

@Suite("Fan-out")
struct FanOutTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    /// What `deciding` was shown, deciding nothing of interest.
    private func shown() throws -> [(notice: Notice, recipients: Recipients)] {
        var shown: [(Notice, Recipients)] = []
        _ = try queue.store.fanOut(limit: 100, now: now) { notice, recipients in
            shown.append((notice, recipients))
            return .drop(.unreachable)
        }
        return shown
    }

    @Test("Notices come in the order they were inserted, as many as asked for, each once")
    func order() throws {
        _ = try queue.store.insert(["b", "a", "c"].map { TemporaryQueue.notice($0) }, now: now)
        var names: [[String]] = []
        for _ in 0..<3 {
            var turn: [String] = []
            _ = try queue.store.fanOut(limit: 2, now: now) { notice, _ in
                turn.append(String(decoding: notice.spoolName, as: UTF8.self))
                return .drop(.unreachable)
            }
            names.append(turn)
        }
        #expect(names == [["b", "a"], ["c"], []])
    }

    @Test("A delivery keeps the identifiers it was given, with its times in whole seconds")
    func identifiers() throws {
        _ = try queue.withDeliveries(["one"])
        let due = try #require(try queue.due().first)
        #expect(due.apnsID == "id-1-1")
        #expect(due.collapseID == "INBOX:7")
        #expect(due.attempts == 0)
        #expect(due.nextAttemptAt == WallTime(milliseconds: 1_790_000_000_000))
        #expect(due.expiration == WallTime(milliseconds: 1_790_086_400_000))
    }

    @Test(
        "A notice that nobody wants ends dropped with its reason and is counted",
        arguments: DropReason.allCases)
    func dropped(reason: DropReason) throws {
        _ = try queue.store.insert([TemporaryQueue.notice("one")], now: now)
        #expect(try queue.store.fanOut(limit: 1, now: now) { _, _ in .drop(reason) } == [.drop(reason)])
        #expect(try queue.ends(.dropped, reason.rawValue) == 1)
        #expect(try queue.store.counts(now: now).waiting == 0)
    }

    @Test("A notice fanned out to no device is not lost silently: it ends for want of a device")
    func noDelivery() throws {
        _ = try queue.store.insert([TemporaryQueue.notice("one")], now: now)
        try queue.fanOut()
        #expect(try queue.ends(.dropped, "no_device") == 1)
    }

    @Test("Only the live devices of the notice's own user are recipients")
    func ownDevices() throws {
        let phone = try queue.store.register(TemporaryQueue.device(1), now: now)
        let gone = try queue.store.register(TemporaryQueue.device(2), now: now)
        _ = try queue.store.register(TemporaryQueue.device(3, user: "bob"), now: now)
        _ = try queue.store.removeDevice(gone, now: now)
        _ = try queue.store.insert([TemporaryQueue.notice("one")], now: now)
        #expect(try shown().first?.recipients.devices.map(\.device.id) == [phone])
    }

    @Test("A user without an account has no recipients and no account")
    func stranger() throws {
        _ = try queue.store.insert([TemporaryQueue.notice("one", user: "mallory")], now: now)
        let expected = Recipients(account: nil, pushEnabled: true, devices: [], firstUIDValidity: nil)
        #expect(try shown().first?.recipients == expected)
    }

    @Test("An account that wants no push says so")
    func pushOff() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        try queue.connection().run("UPDATE accounts SET notify_push = 0")
        _ = try queue.store.insert([TemporaryQueue.notice("one")], now: now)
        #expect(try shown().first?.recipients.pushEnabled == false)
    }

    @Test("A token that two accounts hold is shown as serving more than one, until one lets it go")
    func sharedToken() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        let other = try queue.store.register(TemporaryQueue.device(user: "bob"), now: now)
        _ = try queue.store.insert([TemporaryQueue.notice("one")], now: now)
        #expect(try shown().first?.recipients.devices.map(\.tokenServesOneAccount) == [false])
        _ = try queue.store.removeDevice(other, now: now)
        _ = try queue.store.insert([TemporaryQueue.notice("two")], now: now)
        #expect(try shown().first?.recipients.devices.map(\.tokenServesOneAccount) == [true])
    }

    @Test("The first UIDVALIDITY of a folder stays the first, whatever later mail says")
    func uidValidity() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        var notices = ["one", "two", "three", "four"].map { TemporaryQueue.notice($0) }
        notices[0].uidValidity = nil
        notices[2].uidValidity = 43
        notices[3].folder = "Lists"
        _ = try queue.store.insert(notices, now: now)
        #expect(try shown().map(\.recipients.firstUIDValidity) == [nil, nil, 42, nil])
        _ = try queue.store.insert([TemporaryQueue.notice("five")], now: now)
        #expect(try shown().map(\.recipients.firstUIDValidity) == [42])
    }

    /// Fans out one notice of a name to the only device, to be tried at `time`, in place of what waits.
    private func hold(
        _ name: String, until time: WallTime?, folder: String = "INBOX", inHand: Set<Int64> = []
    ) throws {
        _ = try queue.store.insert([TemporaryQueue.notice(name, folder: folder)], now: now)
        _ = try queue.store.fanOut(limit: 10, now: now, excluding: inHand) { notice, recipients in
            .deliver(
                recipients.devices.map {
                    NewDelivery(
                        device: $0.device.id, apnsID: "id-\(notice.id)", collapseID: nil,
                        expiration: now.advanced(by: .seconds(86_400)), notBefore: time,
                        replacesWaiting: time != nil)
                })
        }
    }

    private let slot = TemporaryQueue.now.advanced(by: .seconds(10))

    @Test("A delivery that is held isn't due before its time, rounded up to a second")
    func held() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        try hold("one", until: slot)
        #expect(try queue.due(now: slot).isEmpty)
        #expect(try queue.due(now: slot.roundedUpToSecond).map(\.id) == [1])
    }

    @Test("The newest takes the place of the one that is held, which ends superseded by it")
    func replaced() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        for name in ["one", "two", "three"] { try hold(name, until: slot) }
        #expect(try queue.due(now: slot.advanced(by: .seconds(1))).map(\.id) == [3])
        #expect(try queue.ends(.dropped, "superseded") == 2)
        #expect(
            try ["id-1", "id-2"].map { try queue.store.trace(apnsID: $0)?.supersededBy?.delivery } == [3, 3])
    }

    @Test("What is held until an earlier moment isn't put off by what comes between that and its due second")
    func dueBefore() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        try hold("one", until: slot)
        try hold("two", until: slot.advanced(by: .seconds(10)))
        #expect(try queue.ends(.dropped, "superseded") == 0)
        #expect(try queue.due(now: slot.roundedUpToSecond).map(\.id) == [1])
    }

    @Test("What is due, was tried, is in hand or is of another folder keeps its place")
    func keepsItsPlace() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        try hold("due", until: nil)
        try hold("tried", until: slot)
        try queue.connection().run("UPDATE deliveries SET attempts = 1 WHERE id = 2")
        try hold("another folder's", until: slot, folder: "Lists")
        try hold("in hand", until: slot)
        try hold("newest", until: slot, inHand: [4])
        #expect(try queue.ends(.dropped, "superseded") == 0)
        #expect(try queue.due(now: slot.advanced(by: .seconds(1))).map(\.id) == [1, 2, 3, 4, 5])
    }

    @Test("Hazard 93: when the disk fills during fan-out, the notice still waits and no half of it is there")
    func diskFull() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        _ = try queue.store.insert((0..<500).map { TemporaryQueue.notice("n\($0)") }, now: now)
        try queue.store.connection.execute("PRAGMA max_page_count = 1")
        let error = #expect(throws: QueueError.self) { try queue.fanOut() }
        #expect(error?.cause == .full)
        #expect(error?.isFatal == false)
        let counts = try queue.store.counts(now: now)
        #expect((counts.waiting, counts.queued) == (500, 0))
        try queue.store.connection.execute("PRAGMA max_page_count = 1000000")
        try queue.fanOut()
        #expect(try queue.store.counts(now: now).queued == 500)
    }
}
