import Foundation
import Posix
@testable import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Queue

@Suite("Trouble with the file")
struct TroubleTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    @Test(
        "Hazard 94: a lock held too long is busy, which passes; the settle kept for the next turn is not lost"
    )
    func busy() throws {
        _ = try queue.withDeliveries(["one"])
        let store = try queue.another(busyTimeout: .milliseconds(10))
        let taken = try store.due(now: now, limit: 1, excluding: [])
        let settlements = taken.map { Settlement($0, .ended(.sent, reason: "200")) }
        let holder = try queue.connection()
        try holder.run("BEGIN IMMEDIATE")
        let error = #expect(throws: QueueError.self) { try store.settle(settlements, now: now) }
        #expect(error?.cause == .busy)
        #expect(error?.isFatal == false)
        try holder.run("COMMIT")
        #expect(try store.settle(settlements, now: now).outcomes == [.done])
    }

    @Test("Hazard 94: a program that reads and writes is never refused while others write all the time")
    func contention() throws {
        let failures = Mutex<[String]>([])
        let path = queue.path
        DispatchQueue.concurrentPerform(iterations: 4) { program in
            do {
                let store = try QueueStore(path: path, busyTimeout: .seconds(30))
                for turn in 0..<25 {
                    let notice = TemporaryQueue.notice("\(program)-\(turn)")
                    _ = try store.insert([notice], now: TemporaryQueue.now)
                    _ = try store.fanOut(limit: 5, now: TemporaryQueue.now) { _, _ in .drop(.unreachable) }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try queue.ends(.dropped, "unreachable") == 100)
    }

    @Test("Another program opens the queue and reads what is there while somebody holds the write lock")
    func readersGoOn() throws {
        _ = try queue.withDeliveries(["one"])
        let holder = try queue.connection()
        try holder.run("BEGIN IMMEDIATE")
        #expect(try queue.another(busyTimeout: .zero).due(now: now, limit: 1, excluding: []).count == 1)
        try holder.run("COMMIT")
    }

    @Test("A full disk refuses the whole batch, and passes")
    func full() throws {
        try queue.store.connection.execute("PRAGMA max_page_count = 1")
        let batch = (0..<1000).map { TemporaryQueue.notice("n\($0)") }
        let error = #expect(throws: QueueError.self) { try queue.store.insert(batch, now: now) }
        #expect(error?.cause == .full)
        #expect(try queue.another().counts(now: now).waiting == 0)
        try queue.store.connection.execute("PRAGMA max_page_count = 1000000")
        #expect(try queue.store.insert(batch, now: now).count { $0 == .new } == 1000)
    }

    @Test("A damaged file is named as damaged and never answers with what isn't there")
    func damaged() throws {
        _ = try queue.store.insert((0..<1000).map { TemporaryQueue.notice("n\($0)") }, now: now)
        try queue.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: queue.path))
        let size = try file.seekToEnd()
        for page in stride(from: 4096, to: size, by: 4096) {
            try file.seek(toOffset: page)
            try file.write(contentsOf: Data(repeating: 0xEE, count: 4096))
        }
        try file.close()
        let error = #expect(throws: QueueError.self) { try queue.another().counts(now: now) }
        #expect(error?.cause == .corrupt)
        #expect(error?.isFatal == true)
    }

    @Test(
        "Each kind of trouble ends a program, or doesn't, with its own exit code",
        arguments: [
            (5, false, .temporaryFailure), (261, false, .temporaryFailure), (13, false, .inputOutput),
            (15, true, .inputOutput), (1034, true, .inputOutput), (266, true, .inputOutput),
            (11, true, .inputOutput), (267, true, .inputOutput), (26, true, .inputOutput),
            (14, true, .inputOutput),
            (8, true, .noPermission), (3, true, .noPermission), (19, true, .software),
        ] as [(Int32, Bool, ExitCode)])
    func codes(code: Int32, isFatal: Bool, exitCode: ExitCode) {
        let error = QueueError(path: "/q", SQLiteError(code: code, subject: "SELECT 1", database: nil))
        #expect(error.isFatal == isFatal)
        #expect(error.exitCode == exitCode)
    }

    @Test(
        "A file that this user may not open is told from one that can't be opened at all",
        arguments: [(EACCES, .noPermission), (ENOENT, .inputOutput), (EMFILE, .inputOutput)]
            as [(Int32, ExitCode)])
    func permission(errno: Int32, exitCode: ExitCode) {
        let error = SystemCallError(call: "open", subject: "/q", errno: Errno(rawValue: errno))
        #expect(QueueError(path: "/q", error).exitCode == exitCode)
    }

    @Test("An error about the queue never shows what was bound")
    func noValues() throws {
        try queue.connection().execute("DROP TABLE deliveries; DROP TABLE notices")
        let error = #expect(throws: QueueError.self) {
            try queue.store.insert([TemporaryQueue.notice("one", user: "alice")], now: now)
        }
        #expect(error?.description.contains("no such table: notices") == true)
        #expect(error?.description.contains("alice") == false)
    }
}
