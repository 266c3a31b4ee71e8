import Foundation
import Posix
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Queue

@Suite("Opening the queue")
struct OpeningTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.file("doorbell.db") }

    private func open() throws(QueueError) -> QueueStore {
        try QueueStore(path: path, busyTimeout: .seconds(5))
    }

    private func raw() throws -> Connection { try Connection(path: path, busyTimeout: .seconds(5)) }

    @Test("A new queue and its companions are open to the group whatever the umask")
    func mode() throws {
        let store = try open()
        _ = try store.secret()
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o660, "\(suffix)")
        }
    }

    @Test("A new queue is written as a power cut, a foreign schema and a long life need it")
    func pragmas() throws {
        let connection = try open().connection
        func pragma(_ sql: StaticString) throws -> String? { try connection.first(sql) { $0.text(0) } }
        #expect(try pragma("PRAGMA journal_mode") == "wal")
        #expect(try pragma("PRAGMA synchronous") == "2")
        #expect(try pragma("PRAGMA auto_vacuum") == "2")
        #expect(try pragma("PRAGMA journal_size_limit") == "67108864")
        #expect(try pragma("PRAGMA application_id") == "\(Schema.applicationID)")
        #expect(try pragma("PRAGMA foreign_keys") == "1")
        #expect(try pragma("PRAGMA trusted_schema") == "0")
        #expect(try pragma("PRAGMA cell_size_check") == "1")
    }

    @Test("Programs that start at the same moment on a new queue all open it", arguments: 0..<40)
    func together(_: Int) throws {
        let path = path
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                _ = try QueueStore(path: path, busyTimeout: .seconds(5)).secret()
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test("The secret of an installation is 32 bytes, made once and another elsewhere")
    func secret() throws {
        let secret = try open().secret()
        #expect(secret.count == 32)
        #expect(try open().secret() == secret)
        let elsewhere = try QueueStore(path: directory.file("other.db"), busyTimeout: .zero)
        #expect(try elsewhere.secret() != secret)
    }

    @Test("A database of another program is refused and left as it is")
    func foreign() throws {
        try raw().execute("CREATE TABLE bookmarks (url TEXT)")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = #expect(throws: QueueError.self) { try open() }
        #expect(error?.cause == .foreign)
        #expect(error?.exitCode == .configuration)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("A queue of a newer version is refused and named")
    func newer() throws {
        _ = try open()
        try raw().execute("PRAGMA user_version = 7")
        let error = #expect(throws: QueueError.self) { try open() }
        #expect(
            error?.description
                == "\(path): has version 7, this program knows up to \(Schema.steps.count); install the newer program"
        )
    }

    @Test("A file that is no database is refused as damaged")
    func garbage() throws {
        try directory.write("doorbell.db", String(repeating: "not a database ", count: 1000))
        let error = #expect(throws: QueueError.self) { try open() }
        #expect(error?.cause == .corrupt)
    }

    @Test("Where there is no queue and none is to be made, that is said and nothing made")
    func missing() throws {
        let path = path
        let error = #expect(throws: QueueError.self) {
            try QueueStore(path: path, busyTimeout: .zero, creating: false)
        }
        #expect(error?.cause == .missing)
        #expect(!FileManager.default.fileExists(atPath: path))
        let secret = try open().secret()
        #expect(try QueueStore(path: path, busyTimeout: .zero, creating: false).secret() == secret)
    }

    @Test("A missing directory is named as what can't be opened")
    func missingDirectory() throws {
        let path = directory.file("missing/doorbell.db")
        let error = #expect(throws: QueueError.self) { try QueueStore(path: path, busyTimeout: .zero) }
        #expect(error?.description.hasPrefix("\(path): cannot be opened: No such file or directory;") == true)
    }

    @Test("A path that is a directory is named as what can't be opened")
    func directoryAsFile() throws {
        let error = #expect(throws: QueueError.self) {
            try QueueStore(path: directory.path, busyTimeout: .zero)
        }
        #expect(error?.exitCode == .inputOutput)
        #expect(error?.description.contains("cannot be opened: Is a directory") == true)
    }

    @Test("Old data comes through the steps that lead to the newest version, each run once")
    func migration() throws {
        let connection = try raw()
        let old: StaticString = "CREATE TABLE t (a); INSERT INTO t VALUES (1); PRAGMA user_version = 1"
        let new: StaticString = "ALTER TABLE t ADD b DEFAULT 2; PRAGMA user_version = 2"
        try Migration(applicationID: 0, steps: [old]).run(on: connection)
        let migration = Migration(applicationID: 0, steps: [old, new])
        try migration.run(on: connection)
        try migration.run(on: connection)
        #expect(try connection.query("SELECT a, b FROM t") { [$0.integer(0), $0.integer(1)] } == [[1, 2]])
    }

    @Test("A step that fails leaves the version before it")
    func failedMigration() throws {
        let connection = try raw()
        let broken: StaticString = "CREATE TABLE t (a); CREATE TABLE t (a); PRAGMA user_version = 1"
        #expect(throws: SQLiteError.self) {
            try Migration(applicationID: 0, steps: [broken]).run(on: connection)
        }
        #expect(try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } == 0)
    }

    @Test("Each step of the schema says to which version it leads", arguments: Schema.steps.indices)
    func steps(index: Int) {
        #expect("\(Schema.steps[index])".hasSuffix("PRAGMA user_version = \(index + 1);"))
    }
}
