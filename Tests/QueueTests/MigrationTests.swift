import Posix
import SQLite
import TestSupport
import Testing

@testable import Queue

@Suite("A queue of an older version")
struct MigrationTests {
    private let directory: TemporaryDirectory
    private let now = TemporaryQueue.now

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.file("doorbell.db") }

    /// What the first release left: two devices, one of them suspect, and four deliveries in two folders.
    private static let rows: StaticString = """
        INSERT INTO installation (id, secret) VALUES (1, x'0102');
        INSERT INTO accounts (user) VALUES ('alice');
        INSERT INTO lanes (environment, topic) VALUES ('production', 'org.example.Mail');
        INSERT INTO devices (account, channel, token, topic, environment, platform, label, enabled_folders,
            created_at, registered_at, last_failure, suspect_since)
        VALUES (1, 'apns', x'A1', 'org.example.Mail', 'production', 'ios', 'Phone', '*', 1, 2, NULL, NULL),
            (1, 'apns', x'A2', 'org.example.Mail', 'production', 'ios', 'Pad', '*', 1, 2, 'BadDeviceToken', 3);
        INSERT INTO notices (kind, owner_uid, spool_name, user, folder, uid, message_id, at, inserted_at, decided_at)
        VALUES ('mail', 1, x'01', 'alice', 'INBOX', 1, '', 5, 6, 7), ('mail', 1, x'02', 'alice', 'Lists', 2, '', 5, 6, 7),
            ('mail', 1, x'03', 'alice', 'INBOX', 3, '', 5, 6, 7), ('mail', 1, x'04', 'alice', 'INBOX', 4, '', 5, 6, 7);
        INSERT INTO deliveries (notice, device, lane, apns_id, expiration, attempts, next_attempt_at, ended_at, end, reason)
        VALUES (1, 1, 1, 'id-1', 9000000000000, 0, 1000, NULL, NULL, NULL),
            (2, 1, 1, 'id-2', 9000000000000, 2, 2000, NULL, NULL, 'status 500'),
            (3, 1, 1, 'id-3', 9000000000000, 0, 3000, NULL, NULL, NULL),
            (4, 1, 1, 'id-4', 9000000000000, 1, 1000, 8, 'failed', 'PayloadTooLarge');
        """

    /// Opens a queue that the first steps made.
    private func openOld(steps: Int = 1) throws -> QueueStore {
        let old = try Connection(path: path, busyTimeout: .seconds(5))
        let migration = Migration(
            applicationID: Schema.applicationID, steps: Array(Schema.steps.prefix(steps)))
        try migration.run(on: old)
        try old.execute(Self.rows)
        return try QueueStore(path: path, busyTimeout: .seconds(5))
    }

    @Test("What was due is due after the third step as before, and nobody is taken to have died before it")
    func third() throws {
        let store = try openOld(steps: 2)
        #expect(try store.beginDispatch(now: now) == nil)
        let due = try store.due(now: now, limit: 10, excluding: [], staleBefore: now)
        #expect(due.map(\.apnsID) == ["id-1", "id-2", "id-3"])
        #expect(try store.devices().count == 2)
        #expect(try store.beginDispatch(now: now) == UncleanEnd())
    }

    @Test("What waited before the fifth step is counted, fanned out and pruned by account after it")
    func fifth() throws {
        let old = try Connection(path: path, busyTimeout: .seconds(5))
        try Migration(applicationID: Schema.applicationID, steps: Array(Schema.steps.prefix(4))).run(on: old)
        try old.execute(Self.rows)
        try old.execute(
            "UPDATE notices SET decided_at = NULL WHERE id = 4; DELETE FROM deliveries WHERE notice = 4")
        let store = try QueueStore(path: path, busyTimeout: .seconds(5))
        #expect(try store.insert([TemporaryQueue.notice("n")], now: now, ceiling: 1) == [.noRoom])
        #expect(try store.fanOut(limit: 9, now: now, ceiling: 3) { _, _ in .drop(.noDevice) }.isEmpty)
        #expect(try store.fanOut(limit: 9, now: now) { _, _ in .drop(.noDevice) }.count == 1)
        #expect(try store.pruneSurplus(limit: 9, ceiling: 0) == 1)
    }

    @Test("Of what was fanned out before the sixth step it isn't known whether anybody looked for its uid")
    func sixth() throws {
        let store = try openOld(steps: 5)
        #expect(try store.wakes(of: "alice", limit: 9).map(\.uidSource) == [nil, nil, nil, nil])
        #expect(try store.trace(apnsID: "id-4")?.uidSource == nil)
    }

    @Test("What was due is due after the second step as before, and the newest of each folder is known")
    func deliveries() throws {
        let store = try openOld()
        let due = try store.due(now: now, limit: 10, excluding: [], staleBefore: now)
        #expect(due.map(\.apnsID) == ["id-1", "id-2", "id-3"])
        #expect(due.map(\.attempts) == [0, 2, 0])
        #expect(due.map(\.newer) == [3, nil, nil])
        #expect(try store.trace(apnsID: "id-4")?.reason == "PayloadTooLarge")
    }

    @Test(
        "A suspect of the first step is one after the second, last failed when it became one, and nobody else failed"
    )
    func devices() throws {
        let store = try openOld()
        let devices = try store.devices()
        #expect(devices.map(\.suspectSince) == [nil, WallTime(milliseconds: 3)])
        #expect(devices.map(\.lastFailedAt) == [nil, WallTime(milliseconds: 3)])
        #expect(devices.map(\.strikes) == [0, 0])
        #expect(devices.map(\.throttledUntil) == [nil, nil])
        #expect(try store.secret() == [1, 2])
        #expect(try store.sweptAt() == nil)
    }

    @Test("A suspect whose doubt arose by an unknown way is removed only after it has been confirmed")
    func oldSuspect() throws {
        let store = try openOld()
        let due = try store.due(now: now, limit: 10, excluding: [], staleBefore: now)
        let sent = Settlement(due[0], .ended(.sent, reason: "accepted"), deviceChange: .seen(under: "here"))
        #expect(try store.settle([sent], now: now).removed.isEmpty)
    }

    @Test("What is settled and fanned out after the step is whole")
    func goesOn() throws {
        let store = try openOld()
        let due = try store.due(now: now, limit: 10, excluding: [], staleBefore: now)
        let report = try store.settle(
            due.map { Settlement($0, .ended(.sent, reason: "accepted"), deviceChange: .seen(under: "here")) },
            now: now)
        #expect(report.outcomes == [.done, .done, .done])
        #expect(try store.prune(endedBefore: now.advanced(by: .seconds(1)), limit: 10) == 4)
    }
}
