import Foundation
import Posix
import SQLite
import TestSupport
import Testing

@testable import Queue

@Suite("Device tokens that an older version left plain")
struct PlainTokenTests {
    private let directory: TemporaryDirectory
    private let now = TemporaryQueue.now
    /// As the older version left it open, so that its write-ahead log stays.
    private let old: Connection

    /// Devices of two users with traces of their tokens wherever SQLite leaves some, by a build that cleans up nothing.
    init() throws {
        directory = try TemporaryDirectory()
        old = try Connection(path: directory.file("doorbell.db"), busyTimeout: .seconds(5))
        try old.execute(
            "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF")
        let steps = Array(Schema.steps.prefix(3))
        try Migration(applicationID: Schema.applicationID, steps: steps).run(on: old)
        try old.execute(
            """
            INSERT INTO accounts (user) VALUES ('alice'), ('bob');
            INSERT INTO lanes (environment, topic) VALUES ('production', 'org.example.Mail');
            """)
        for byte in UInt8(1)...200 {
            try old.run(
                """
                INSERT INTO devices (account, channel, token, topic, environment, platform, label, enabled_folders,
                    created_at, registered_at)
                VALUES (1 + ?1 % 2, 'apns', ?2, 'org.example.Mail', 'production', 'ios', 'Phone', '*', 1, 2)
                """, [Value(byte), .blob(TemporaryQueue.secret(byte))])
        }
        try old.run(
            "UPDATE devices SET label = 'a longer one than before, so that the row moves' WHERE id % 3 = 0")
        try old.run("UPDATE devices SET removed_at = 3, token = substr(token, 1, 4) WHERE id % 10 = 0")
        try old.run("DELETE FROM devices WHERE id BETWEEN 100 AND 120")
    }

    private var path: String { directory.file("doorbell.db") }

    private func unlock() throws -> QueueStore {
        try .unlocked(path: path, busyTimeout: .seconds(5))
    }

    private func isWiped() throws -> Bool? {
        try old.first("SELECT wiping = 0 FROM installation") { $0.integer(0) != 0 }
    }

    @Test("The first program with the key seals them and leaves no trace in any file; all else is as it was")
    func sealed() throws {
        let store = try unlock()
        try expectNoToken(of: 1...200, in: directory)
        let devices = try store.devices()
        #expect(devices.map(\.id) == (1...99).map { $0 } + (121...200).map { $0 })
        for device in devices {
            let token = TemporaryQueue.secret(UInt8(device.id))
            #expect(device.token == (device.id % 10 == 0 ? Array(token.prefix(4)) : token), "\(device.id)")
        }
        #expect(try isWiped() == true)
        #expect(try old.first("PRAGMA auto_vacuum", read: { $0.integer(0) }) == 2)
        #expect(try old.first("PRAGMA integrity_check", read: { $0.text(0) }) == "ok")
    }

    @Test("A device of before that registers again keeps its id")
    func again() throws {
        var device = TemporaryQueue.device(secretOf: 4)
        device.user = "alice"
        #expect(try unlock().register(device, now: now) == 4)
    }

    @Test("The drain brings the queue to this version without the key, and writes on")
    func drain() throws {
        let queue = try QueueStore(path: path, busyTimeout: .seconds(5))
        #expect(try queue.insert([TemporaryQueue.notice("one")], now: now) == [.new])
        #expect(try queue.devices().allSatisfy { $0.token.count == 4 })
        #expect(try !queue.hasSealedTokens())
        #expect(try unlock().devices().count { $0.token.count == 32 } == 162)
        try expectNoToken(of: 1...200, in: directory)
    }

    @Test(
        "While somebody reads the log its traces stay, and the next program that unlocks the queue removes them"
    )
    func reader() throws {
        let reader = try Connection(path: path, busyTimeout: .zero)
        try reader.run("BEGIN")
        _ = try reader.first("SELECT count(*) FROM devices") { _ in }
        let store = try QueueStore(path: path, busyTimeout: .zero)
        #expect(try !store.unlock(with: store.key(beside: path), patience: .milliseconds(20)))
        #expect(try store.devices().contains { $0.token.count == 32 })
        #expect(try isWiped() == false)
        try reader.run("COMMIT")
        _ = try unlock()
        #expect(try isWiped() == true)
        try expectNoToken(of: 1...200, in: directory)
    }

    @Test("While another program writes, unlocking waits for a moment and leaves the traces to the next")
    func writer() throws {
        _ = try QueueStore(path: path, busyTimeout: .seconds(5))
        let store = try QueueStore(path: path, busyTimeout: .zero)
        let key = try store.key(beside: path)
        try old.run("BEGIN IMMEDIATE")
        #expect(throws: QueueError.self) { try store.unlock(with: key, patience: .zero) }
        try old.run("COMMIT")
        #expect(try store.unlock(with: key))
    }

    @Test("A plain token that is slipped in beside sealed ones rings nobody")
    func slippedIn() throws {
        _ = try unlock()
        try old.run(
            "UPDATE devices SET sealed_token = NULL, token = ?1 WHERE id = 1",
            [.blob(TemporaryQueue.secret(1))])
        try old.run("UPDATE installation SET key_check = NULL")
        #expect(try unlock().devices().first?.token.count == 4)
    }
}
