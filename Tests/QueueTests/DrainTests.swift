import Posix
import Queue
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
}
