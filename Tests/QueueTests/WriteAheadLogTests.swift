import Foundation
import Posix
import Queue
import SQLite
import Testing

@Suite("The write-ahead log")
struct WriteAheadLogTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    private func logSize() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: queue.path + "-wal")
        return try #require(attributes[.size] as? Int)
    }

    /// Commits a hundred times; a commit writes a few pages, and SQLite empties the log past a thousand.
    private func write(_ turn: String) throws {
        for index in 0..<100 {
            _ = try queue.store.insert(
                (0..<20).map { TemporaryQueue.notice("\(turn)-\(index)-\($0)") }, now: now)
        }
    }

    @Test("Hazard 100: behind a reader that stays the log grows, and once it is gone no further")
    func reader() throws {
        try write("before")
        let size = try logSize()
        let reader = try queue.connection()
        try reader.execute("BEGIN; SELECT count(*) FROM notices")
        for turn in 0..<5 { try write("during\(turn)") }
        let grown = try logSize()
        #expect(grown > 2 * size)
        try reader.execute("COMMIT")
        // The first commit after it is the last that the log grows by.
        try write("after")
        let full = try logSize()
        #expect(full < grown + size)
        for turn in 0..<5 { try write("later\(turn)") }
        #expect(try logSize() == full)
    }

    @Test("Hazard 100: no question to the queue leaves a reader behind")
    func questions() throws {
        let device = try queue.withDeliveries(["one", "two"])
        let store = queue.store
        _ = try store.due(now: now, limit: 1, excluding: [])
        _ = try store.nextDue()
        _ = try store.lanes()
        _ = try store.counts(now: now)
        _ = try store.devices()
        _ = try store.dataVersion()
        _ = try store.secret()
        _ = try store.sweptAt()
        _ = try store.trace(apnsID: "id-1-\(device)")
        let isBusy: Int64? = try queue.connection().first("PRAGMA wal_checkpoint(TRUNCATE)") {
            $0.integer(0)
        }
        #expect(isBusy == 0)
        #expect(try logSize() == 0)
    }
}
