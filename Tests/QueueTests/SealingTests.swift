import Foundation
import Posix
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Queue

@Suite("Device tokens at rest")
struct SealingTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    private func open() throws -> QueueStore { try QueueStore(path: queue.path, busyTimeout: .seconds(5)) }

    @Test("No file but the key's and nothing in them tells a token, neither its bytes nor its digits")
    func atRest() throws {
        for byte in UInt8(1)...200 {
            _ = try queue.store.register(TemporaryQueue.device(secretOf: byte), now: now)
        }
        _ = try queue.store.register(TemporaryQueue.device(secretOf: 9), now: now)
        _ = try queue.store.removeDevice(7, now: now)
        _ = try queue.store.insert([TemporaryQueue.notice("one")], now: now)
        try queue.fanOut()
        _ = try queue.due()
        try expectNoToken(of: 1...200, in: queue.directory)
    }

    @Test("Only who has unlocked the queue sees whole tokens, others their first four bytes")
    func locked() throws {
        _ = try queue.withDeliveries(["one"])
        #expect(try queue.due().map(\.device?.token) == [TemporaryQueue.device().token])
        #expect(try open().devices().map(\.token) == [[0xA1, 0xA1, 0xA1, 0xA1]])
        #expect(try open().due(now: now, limit: 1, excluding: []).map(\.device?.token.count) == [4])
    }

    @Test("Who hasn't unlocked the queue registers nobody, but removes")
    func lockedRegistration() throws {
        let device = try queue.store.register(TemporaryQueue.device(), now: now)
        let error = #expect(throws: QueueError.self) {
            try open().register(TemporaryQueue.device(2), now: now)
        }
        #expect(error?.cause == .wrongKey)
        #expect(try open().removeDevice(device, now: now))
        #expect(try open().devices().map(\.registration.token.count) == [4])
    }

    @Test(
        "A sealed token that was moved to another user's row, topic or channel, or changed, isn't opened, and the others are",
        arguments: [
            """
            UPDATE accounts SET user = 'nobody' WHERE user = 'alice';
            UPDATE accounts SET user = 'alice' WHERE user = 'eve';
            UPDATE accounts SET user = 'eve' WHERE user = 'nobody';
            """,
            "UPDATE devices SET sealed_token = (SELECT sealed_token FROM devices WHERE account = 2) WHERE account = 1",
            "UPDATE devices SET topic = 'org.example.Other' WHERE account = 1",
            "UPDATE devices SET channel = 'other' WHERE account = 1",
            "UPDATE devices SET sealed_token = substr(sealed_token, 2) WHERE account = 1",
            "UPDATE devices SET sealed_token = x'' WHERE account = 1",
            "UPDATE devices SET sealed_token = NULL, token = zeroblob(32) WHERE account = 1",
        ] as [StaticString])
    func moved(_ change: StaticString) throws {
        _ = try queue.store.register(TemporaryQueue.device(0xA1, user: "alice"), now: now)
        _ = try queue.store.register(TemporaryQueue.device(0xE1, user: "eve"), now: now)
        _ = try queue.store.register(TemporaryQueue.device(0xB1, user: "bob"), now: now)
        try queue.connection().execute(change)
        let tokens = try queue.store.devices().map(\.token.count)
        #expect(tokens[0] == 4)
        #expect(tokens[2] == 32)
        #expect(try queue.another().devices().map(\.token.count) == tokens)
    }

    @Test("A device whose row was damaged is whole again when it has registered")
    func healed() throws {
        let device = try queue.store.register(TemporaryQueue.device(), now: now)
        try queue.connection().run("UPDATE devices SET sealed_token = x'00'")
        #expect(try queue.store.register(TemporaryQueue.device(), now: now) == device)
        #expect(try queue.store.devices().map(\.token) == [TemporaryQueue.device().token])
    }

    @Test(
        "Another key is refused while a token is sealed with the first, and taken when all devices are removed"
    )
    func otherKey() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        let error = #expect(throws: QueueError.self) { try open().unlock(with: other) }
        #expect(error?.cause == .wrongKey)
        #expect(error?.exitCode == .configuration)
        #expect(error?.description.contains("doorbell device remove --all") == true)
        #expect(try queue.store.removeAllDevices(now: now) == 1)
        let store = try open()
        #expect(try store.unlock(with: other))
        _ = try store.register(TemporaryQueue.device(), now: now)
        #expect(throws: QueueError.self) { try queue.another() }
    }

    @Test("Only a token that two users have with one topic serves more than one account")
    func oneAccount() throws {
        var elsewhere = TemporaryQueue.device(0xA1, user: "cem")
        elsewhere.topic = "org.example.Other"
        for device in [
            TemporaryQueue.device(0xA1), TemporaryQueue.device(0xA2),
            TemporaryQueue.device(0xA1, user: "ben"),
            TemporaryQueue.device(0xB2, user: "ben"), elsewhere,
        ] {
            _ = try queue.store.register(device, now: now)
        }
        let notices = ["alice", "ben", "cem"].map { TemporaryQueue.notice($0, user: $0) }
        _ = try queue.store.insert(notices, now: now)
        var served: [[Bool]] = []
        _ = try queue.store.fanOut(limit: 3, now: now) { _, recipients in
            served.append(recipients.devices.map(\.tokenServesOneAccount))
            return .drop(.noDevice)
        }
        #expect(served == [[false, true], [false, true], [true]])
    }

    @Test("Another installation's key makes other hashes, so that no token can be tested without it")
    func hashes() throws {
        let other = try TemporaryQueue()
        let hashes = try [queue, other].map { queue in
            _ = try queue.store.register(TemporaryQueue.device(), now: now)
            return try queue.connection().first("SELECT token_hash FROM devices") { $0.blob(0) }
        }
        #expect(hashes[0] != hashes[1])
    }

    @Test("Whether a token serves another account too is found by an index, however many devices there are")
    func index() throws {
        let plan = try queue.store.connection.plan(of: QueueStore.otherAccountSQL)
        #expect(
            plan == [
                "SEARCH one USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH other USING INDEX devices_live (channel=? AND topic=? AND token_hash=?)",
            ])
    }

    @Test("Programs that start at the same moment on a new queue make one key")
    func together() throws {
        let directory = try TemporaryDirectory()
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { user in
            do {
                let store = try QueueStore.unlocked(
                    path: directory.file("doorbell.db"), busyTimeout: .seconds(30))
                let device = TemporaryQueue.device(UInt8(user), user: "user\(user)")
                _ = try store.register(device, now: TemporaryQueue.now)
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        let store = try QueueStore.unlocked(path: directory.file("doorbell.db"), busyTimeout: .seconds(5))
        #expect(try store.devices().map(\.token.count) == Array(repeating: 32, count: 8))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!names.contains { $0.hasSuffix(".tmp") })
    }

    @Test("A copy of the database tells no token, and with the key beside it all of them")
    func copy() throws {
        _ = try queue.store.register(TemporaryQueue.device(secretOf: 1), now: now)
        let copy = try TemporaryDirectory()
        try queue.connection().run("VACUUM INTO ?1", [.text(copy.file("doorbell.db"))])
        try expectNoToken(of: 1...1, in: copy)
        try FileManager.default.copyItem(
            atPath: queue.directory.file("doorbell.key"), toPath: copy.file("doorbell.key"))
        let store = try QueueStore.unlocked(path: copy.file("doorbell.db"), busyTimeout: .zero)
        #expect(try store.devices().map(\.registration) == [TemporaryQueue.device(secretOf: 1)])
    }

    /// Seals nothing; enough for what depends on whose key it is.
    private var other: TokenSeal {
        TokenSeal(check: [2], hash: { $0 }, seal: { token, _ in token }, open: { token, _ in token })
    }
}
