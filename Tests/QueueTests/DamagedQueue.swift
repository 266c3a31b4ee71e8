import Foundation
import Posix
import SQLite
import TestSupport
import Testing

@testable import Queue

/// A queue's file with some thousand rows, and what becomes of it when bytes are changed.
struct DamagedQueue {
    /// All rows by table, as they are.
    typealias Rows = [String: [[Value]]]

    let directory: TemporaryDirectory
    var path: String { directory.file("doorbell.db") }

    /// What was in it.
    let rows: Rows

    private static let whole: (bytes: [UInt8], rows: Rows) = {
        do {
            let queue = try TemporaryQueue()
            let store = queue.store
            for device in 1...20 {
                let registration = TemporaryQueue.device(UInt8(device), user: "user\(device % 10)")
                _ = try store.register(registration, now: TemporaryQueue.now)
            }
            let notices = (0..<300).map {
                TemporaryQueue.notice("n\($0)", user: "user\($0 % 10)", folder: "Folder \($0 % 40)")
            }
            _ = try store.insert(notices, now: TemporaryQueue.now)
            while try queue.fanOut().count > 0 {}
            let due = try store.due(now: TemporaryQueue.now, limit: 500, excluding: [])
            _ = try store.settle(
                due.prefix(150).map { Settlement($0, .ended(.sent, reason: "accepted")) },
                now: TemporaryQueue.now)
            _ = try store.secret()
            try queue.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: queue.path)))
            return (bytes, try Self.rows(in: queue.path))
        } catch {
            fatalError("\(error)")
        }
    }()

    /// How many pages it has.
    static var pages: Int { whole.bytes.count / 4096 }

    /// A queue whose bytes somebody has changed.
    init(_ damage: (inout [UInt8]) -> Void = { _ in }) throws {
        directory = try TemporaryDirectory()
        rows = Self.whole.rows
        var bytes = Self.whole.bytes
        damage(&bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: directory.file("doorbell.db")))
    }

    /// A queue with a page, counted from 1, that holds nothing of sense.
    init(page: Int) throws {
        try self.init {
            $0.replaceSubrange((page - 1) * 4096..<page * 4096, with: repeatElement(0xEE, count: 4096))
        }
    }

    /// Damages, of those pages with which a row is lost, the last: the row's own, as others lie further up the tree.
    func damageRow(_ id: Int64, of table: String) throws {
        try damage { connection in
            // No step beyond the row: the next one may be on another page.
            try connection.forEachRow(of: table, in: id...id, descending: false) { _, _ in false }
        }
    }

    /// Damages the page of a table's last rows.
    func damageLastRows(of table: String) throws {
        try damage { connection in _ = try connection.highestRowID(of: table) }
    }

    /// Damages the last page without which a query fails.
    private func damage(_ query: (Connection) throws -> Void) throws {
        let file = URL(fileURLWithPath: path)
        let sound = try Data(contentsOf: file)
        for page in stride(from: sound.count - 4096, to: 8192, by: -4096) {
            var bytes = sound
            bytes.replaceSubrange(page..<page + 4096, with: Data(repeating: 0xEE, count: 4096))
            try bytes.write(to: file)
            let connection = try Connection(path: path, busyTimeout: .zero, creating: false)
            do { try query(connection) } catch { return }
        }
        Issue.record("no page holds it")
    }

    /// All rows of a sound file.
    static func rows(in path: String) throws -> Rows {
        let connection = try Connection(path: path, busyTimeout: .seconds(5), creating: false)
        var rows: Rows = [:]
        for table in try connection.tables() {
            var found: [[Value]] = []
            try connection.forEachRow(of: table, descending: false) {
                found.append($0)
                return true
            }
            rows[table] = found
        }
        return rows
    }

    /// What is wrong with it.
    func findings() throws -> [String] { try QueueCheck.findings(path: path, busyTimeout: .seconds(5)) }

    /// Salvages it; the new queue has only rows that the old one had, as they were, and what is missing is told.
    func salvage() throws -> (tables: [SalvagedTable], rows: Rows) {
        let report = try #require(try QueueSalvage.run(path: path))
        #expect(try findings() == [])
        let saved = try Self.rows(in: path)
        for table in report.tables {
            let (old, new) = (rows[table.name] ?? [], saved[table.name] ?? [])
            #expect(Set(new.map { "\($0)" }).isSubset(of: old.map { "\($0)" }), "\(table.name)")
            #expect(table.copied == new.count, "\(table.name)")
            switch table.lost {
            case .exactly(let count): #expect(new.count + count == old.count, "\(table.name)")
            case .some: break
            }
        }
        #expect(Set(report.tables.map(\.name)) == Set(rows.keys))
        return (report.tables, saved)
    }
}
