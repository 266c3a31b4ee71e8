import Posix
import Queue
import SQLite
import Testing

@Suite("The drain's side of the queue")
struct DrainTests {
    @Test("A notice inserted is due with everything it came with, once fanned out")
    func whole() throws {
        let queue = try TemporaryQueue()
        let device = try queue.withDeliveries(["one"])
        let due = try #require(try queue.due().first)
        #expect(due.notice.content == TemporaryQueue.notice("one"))
        #expect(due.device?.id == device)
        #expect(due.device?.registration == TemporaryQueue.device())
        #expect(due.pushEnabled)
    }

    @Test("An entry found again after a crash between commit and unlink is not new, whoever inserts it")
    func idempotent() throws {
        let queue = try TemporaryQueue()
        #expect(
            try queue.store.insert(
                [TemporaryQueue.notice("one"), TemporaryQueue.notice("two")], now: TemporaryQueue.now)
                == [.new, .new])
        let restarted = try queue.another()
        #expect(
            try restarted.insert(
                [TemporaryQueue.notice("two"), TemporaryQueue.notice("three")], now: TemporaryQueue.now)
                == [.known, .new])
        #expect(try queue.store.counts(now: TemporaryQueue.now).waiting == 3)
    }

    private static func quiet(_ name: String, user: String = "alice", _ reason: DropReason = .quietSpam)
        -> NewNotice
    {
        var notice = TemporaryQueue.notice(name, user: user)
        notice.quietBecause = reason
        return notice
    }

    @Test(
        "A notice that is to ring nobody ends with its insertion, dropped with its reason, and is told and counted once"
    )
    func quiet() throws {
        let queue = try TemporaryQueue()
        let notices = [Self.quiet("one"), TemporaryQueue.notice("two"), Self.quiet("three", .quietBounce)]
        #expect(try queue.store.insert(notices, now: TemporaryQueue.now) == [.new, .new, .new])
        #expect(try queue.store.insert(notices, now: TemporaryQueue.now) == [.known, .known, .known])
        let counts = try queue.store.counts(now: TemporaryQueue.now)
        #expect(counts.waiting == 1)
        #expect(
            counts.ends == [
                .init(end: "dropped", reason: "quiet_bounce", count: 1),
                .init(end: "dropped", reason: "quiet_spam", count: 1),
            ])
        #expect(try queue.fanOut().count == 1)
        let wakes = try queue.store.wakes(of: "alice", limit: 9)
        #expect(wakes.map(\.end) == ["dropped", "dropped", "dropped"])
        #expect(wakes.map(\.reason) == ["quiet_bounce", "no_device", "quiet_spam"])
        #expect(
            try queue.store.prune(endedBefore: TemporaryQueue.now.advanced(by: .seconds(1)), limit: 9) == 3)
    }

    @Test("Notices that are to ring nobody take no room of those that wait, and only the newest are kept")
    func quietFlood() throws {
        let queue = try TemporaryQueue()
        let waiting = (0..<5).map { TemporaryQueue.notice("w\($0)") }
        #expect(
            try queue.store.insert(waiting, now: TemporaryQueue.now, ceiling: 5).allSatisfy { $0 == .new })
        for batch in 0..<4 {
            let flood = (0..<5).map { Self.quiet("\(batch)\($0)") } + [Self.quiet("b\(batch)", user: "bob")]
            let now = TemporaryQueue.now.advanced(by: .seconds(batch))
            #expect(try queue.store.insert(flood, now: now, ceiling: 5).allSatisfy { $0 == .new })
        }
        let left = try queue.connection().query("SELECT spool_name FROM notices ORDER BY id") { $0.text(0) }
        #expect(
            left == waiting.map { String(decoding: $0.spoolName, as: UTF8.self) } + ["b0", "b1", "b2"]
                + (0..<5).map { "3\($0)" } + ["b3"])
        #expect(try queue.ends(.dropped, "quiet_spam") == 24)
        #expect(try queue.store.counts(now: TemporaryQueue.now).waiting == 5)
    }
}
