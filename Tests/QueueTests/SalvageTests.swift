import Foundation
import Posix
import SQLite
import TestSupport
import Testing

@testable import Queue

@Suite("A damaged queue is salvaged")
struct SalvageTests {
    private let now = TemporaryQueue.now

    private func count(_ rows: DamagedQueue.Rows) -> Int { rows.values.reduce(0) { $0 + $1.count } }

    @Test("A sound queue is sound, and there is nothing to salvage")
    func sound() throws {
        let queue = try DamagedQueue()
        #expect(try queue.findings() == [])
        #expect(try QueueSalvage.run(path: queue.path) == nil)
        #expect(try DamagedQueue.rows(in: queue.path) == queue.rows)
    }

    @Test("Whichever page is damaged, what stands on the others is saved, and no id is used again")
    func everyPage() throws {
        var (damaged, empty, worst) = (0, 0, 0)
        // The first holds where the tables are, and the second only where pages are.
        for page in 3...DamagedQueue.pages {
            let queue = try DamagedQueue(page: page)
            if try queue.findings().isEmpty { continue }  // A page that is free.
            let saved = try queue.salvage().rows
            damaged += 1
            if count(saved) == 0 { empty += 1 }
            if let notices = saved["notices"]?.count, notices > 0 { worst = max(worst, 300 - notices) }
            let store = try QueueStore(path: queue.path, busyTimeout: .zero)
            _ = try store.insert([TemporaryQueue.notice("next")], now: now)
            let next: Int64? = try store.connection.first("SELECT max(id) FROM notices") { $0.integer(0) }
            #expect(try #require(next) > 300, "page \(page)")
        }
        #expect(damaged > 20)
        // What the tables are called stands on a few pages, without which nothing is found.
        #expect(empty < 5)
        // Of a leaf only its own rows are lost, however many are behind it.
        #expect((1..<60).contains(worst))
    }

    @Test("A file that is cut short gives what is left of it", arguments: [6, 8, 9])
    func truncated(tenths: Int) throws {
        let length = DamagedQueue.pages * tenths / 10 * 4096 + 100
        let queue = try DamagedQueue { $0.removeLast($0.count - length) }
        #expect(try queue.findings() != [])
        #expect(try count(queue.salvage().rows) > 0)
    }

    @Test("However bytes are flipped, a salvage ends with a sound queue", arguments: 0..<4)
    func flipped(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        for _ in 0..<5 {
            let queue = try DamagedQueue { bytes in
                for _ in 0..<Int.random(in: 1...200, using: &random) {
                    let place = Int.random(in: 8192..<bytes.count, using: &random)
                    bytes[place] ^= UInt8.random(in: 1...255, using: &random)
                }
            }
            if try queue.findings().isEmpty { continue }
            _ = try QueueSalvage.run(path: queue.path)
            #expect(try queue.findings() == [])
            _ = try QueueStore(path: queue.path, busyTimeout: .zero).counts(now: now)
        }
    }

    @Test("A last id that can't be true neither keeps a salvage from its end nor uses up the ids")
    func lastID() throws {
        let queue = try DamagedQueue()
        do {
            let connection = try Connection(path: queue.path, busyTimeout: .zero, creating: false)
            try connection.execute(
                "UPDATE sqlite_sequence SET seq = 9223372036854775807; PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try queue.damageLastRows(of: "notices")
        let saved = try #require(try queue.salvage().rows["notices"]).count
        #expect(saved > 200)
        let store = try QueueStore(path: queue.path, busyTimeout: .zero)
        #expect(try store.insert([TemporaryQueue.notice("next")], now: now) == [.new])
    }

    @Test("A gap in the ids costs nothing, however wide, and what stands behind it is saved")
    func gap() throws {
        let queue = try DamagedQueue()
        do {
            let connection = try Connection(path: queue.path, busyTimeout: .zero, creating: false)
            try connection.execute(
                """
                PRAGMA foreign_keys = OFF;
                UPDATE deliveries SET notice = notice + 5000000000 WHERE notice > 150;
                UPDATE notices SET id = id + 5000000000 WHERE id > 150;
                PRAGMA wal_checkpoint(TRUNCATE)
                """)
        }
        try queue.damageRow(150, of: "notices")
        _ = try QueueSalvage.run(path: queue.path)
        let ids = try DamagedQueue.rows(in: queue.path)["notices"]?.map(\.[0]) ?? []
        #expect(ids.contains(.integer(1)))
        #expect(ids.contains(.integer(5_000_000_300)))
        #expect(!ids.contains(.integer(150)))
    }

    @Test("What is no database any more is moved aside, and an empty queue made")
    func noDatabase() throws {
        let queue = try DamagedQueue(page: 1)
        #expect(try queue.findings() != [])
        let report = try #require(try QueueSalvage.run(path: queue.path))
        #expect(report.tables.allSatisfy { $0 == SalvagedTable(name: $0.name, copied: 0, lost: .some) })
        #expect(try QueueStore(path: queue.path, busyTimeout: .zero).counts(now: now).ends == [])
    }

    @Test("The damaged file is kept as it was, with its log, under a name with the date")
    func aside() throws {
        let queue = try DamagedQueue(page: 5)
        // As daemons leave it that are killed.
        let log = try Data(contentsOf: URL(fileURLWithPath: queue.path))
        try Data("not a log".utf8).write(to: URL(fileURLWithPath: queue.path + "-wal"))
        let report = try #require(try QueueSalvage.run(path: queue.path))
        let stamp = try #/\d{8}T\d{6}\.\d{3}Z/#.wholeMatch(
            in: report.aside.dropFirst("\(queue.path).damaged-".count))
        #expect(stamp != nil, "\(report.aside)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: report.aside)) == log)
        #expect(try String(contentsOfFile: report.aside + "-wal", encoding: .utf8) == "not a log")
        #expect(!FileManager.default.fileExists(atPath: queue.path + "-wal"))
        let attributes = try FileManager.default.attributesOfItem(atPath: queue.path)
        #expect(attributes[.posixPermissions] as? Int == 0o660)
    }

    @Test("Commits that only the log holds are saved")
    func log() throws {
        let queue = try DamagedQueue(page: 5)
        let copy = try TemporaryDirectory()
        let store = try QueueStore(path: queue.path, busyTimeout: .zero)
        _ = try store.insert([TemporaryQueue.notice("newest")], now: now)
        // Before the end of the store, which empties it.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: queue.path + suffix, toPath: copy.file("doorbell.db" + suffix))
        }
        withExtendedLifetime(store) {}
        _ = try QueueSalvage.run(path: copy.file("doorbell.db"))
        let rows = try DamagedQueue.rows(in: copy.file("doorbell.db"))
        #expect(rows["notices"]?.contains { $0.contains(.blob(Array("newest".utf8))) } == true)
    }

    @Test("A queue of an older version is salvaged by its own tables and then brought to this one")
    func older() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("doorbell.db")
        do {
            let old = try Connection(path: path, busyTimeout: .zero)
            try Migration(applicationID: Schema.applicationID, steps: Array(Schema.steps.prefix(1))).run(
                on: old)
            try old.execute(
                """
                INSERT INTO accounts (user) VALUES ('alice');
                INSERT INTO devices (account, channel, token, topic, environment, platform, label, enabled_folders,
                    created_at, registered_at, suspect_since)
                VALUES (1, 'apns', x'A1', 'org.example.Mail', 'production', 'ios', 'Phone', '*', 1, 2, 77);
                PRAGMA foreign_keys = OFF; INSERT INTO folders VALUES (9, 'INBOX', 1);
                """)
        }
        let report = try #require(try QueueSalvage.run(path: path))
        #expect(report.tables.first { $0.name == "folders" }?.lost == .exactly(1))
        let device = try #require(try QueueStore(path: path, busyTimeout: .zero).devices().first)
        // What the second step makes of it.
        #expect(device.lastFailedAt == WallTime(milliseconds: 77))
    }

    @Test("Who waits to write meanwhile is told that the queue has moved")
    func writer() throws {
        let queue = try DamagedQueue(page: DamagedQueue.pages)
        let store = try QueueStore(path: queue.path, busyTimeout: .zero)
        _ = try store.secret()
        _ = try #require(try QueueSalvage.run(path: queue.path))
        let error = #expect(throws: QueueError.self) { try store.markSwept(at: now) }
        #expect(error?.cause == .moved)
    }

    @Test("No program opens a queue whose salvage has ended halfway; another salvage ends it")
    func halfway() throws {
        let queue = try DamagedQueue(page: 5)
        let finished = try DamagedQueue()
        try FileManager.default.copyItem(atPath: finished.path, toPath: queue.path + ".salvage")
        let error = #expect(throws: QueueError.self) { try QueueStore(path: queue.path, busyTimeout: .zero) }
        #expect(error?.cause == .halfSalvaged)
        // It was to put the log, which it has moved already, and the rest under the same name.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_790_000_000)],
            ofItemAtPath: queue.path + ".salvage")
        let report = try #require(try QueueSalvage.run(path: queue.path))
        #expect(report.tables == [])
        #expect(report.aside == queue.path + ".damaged-20260921T141320.000Z")
        #expect(try DamagedQueue.rows(in: queue.path) == queue.rows)
    }
}
