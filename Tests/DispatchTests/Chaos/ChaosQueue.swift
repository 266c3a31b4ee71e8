import Foundation
import Posix
import Queue
import SQLite
import TLS
import TestSupport

/// A queue with very many wakes in it, on four lanes, and what has become of them.
struct ChaosQueue {
    private let connection: Connection
    /// How many deliveries there will be, if no device goes before all are made.
    let size: Int

    /// A delivery that has ended.
    struct Ended {
        let id: String
        let end: String
        let reason: String
        let at: Int64
        let device: Int64
    }

    /// What is told of a device.
    struct DeviceState {
        let token: String
        let removedReason: String?
        let isDisabled: Bool
        let registeredAt: Int64
    }

    private let tokens: [Int64: String]

    /// Users have one device on each lane, and get wakes in several folders, few enough in each that none is held.
    init(_ installation: Installation, users: Int, wakesPerUser: Int) throws {
        let store = try QueueStore.unlocked(path: installation.queue, busyTimeout: .seconds(5))
        var tokens: [Int64: String] = [:]
        for user in 0..<users {
            for (index, lane) in Self.lanes.enumerated() {
                let token = Hash.sha256(Array("\(user) \(index)".utf8))
                let device = try store.register(
                    DeviceRegistration(
                        user: "user\(user)", token: token, topic: lane.topic, environment: lane.environment,
                        label: "Phone", enabledFolders: ["*"]), now: .now)
                tokens[device] = token.map { String(format: "%02x", $0) }.joined()
            }
        }
        self.tokens = tokens
        size = users * wakesPerUser * Self.lanes.count
        for user in 0..<users {
            let notices = (0..<wakesPerUser).map { index in
                NewNotice(
                    ownerUID: UInt32(1_000 + user), spoolName: Array("\(user)-\(index)".utf8),
                    user: "user\(user)", folder: "Folder\(index / Self.wakesPerFolder)",
                    uid: UInt32(index + 1), uidValidity: nil, uidHint: nil, filed: nil,
                    messageID: "<\(index)@example.org>", at: .now)
            }
            _ = try store.insert(notices, now: .now)
        }
        connection = try Connection(path: installation.queue, busyTimeout: .seconds(5))
    }

    private static let lanes: [(environment: String, topic: String)] = [
        ("production", "com.example.Mail"), ("sandbox", "com.example.Mail"),
        ("production", "com.example.Other"), ("sandbox", "com.example.Other"),
    ]
    private static let wakesPerFolder = 10

    /// Whether anything hasn't ended.
    func isOpen() throws -> Bool {
        try number(
            """
            SELECT EXISTS (SELECT 1 FROM notices WHERE decided_at IS NULL)
                OR EXISTS (SELECT 1 FROM deliveries WHERE ended_at IS NULL)
            """) == 1
    }

    /// Makes everything due that waits on a lane where nothing is due, and so nothing in hand: what is waited for
    /// is no part of the test.
    func pullForward() throws {
        let now = WallTime.now.seconds * 1_000
        let waiting: StaticString = """
            SELECT EXISTS (
                SELECT 1 FROM deliveries AS waiting WHERE ended_at IS NULL AND next_attempt_at > ?1 AND NOT EXISTS (
                    SELECT 1 FROM deliveries AS due
                    WHERE due.lane = waiting.lane AND due.ended_at IS NULL AND due.next_attempt_at <= ?1))
            """
        guard try number(waiting, now) == 1 else { return }
        try connection.run(
            """
            UPDATE deliveries SET next_attempt_at = ?1 WHERE ended_at IS NULL AND lane NOT IN (
                SELECT lane FROM deliveries WHERE ended_at IS NULL AND next_attempt_at <= ?1)
            """, [.integer(now)])
        try connection.run(
            "UPDATE devices SET throttled_until = ?1 WHERE throttled_until > ?1", [.integer(now)])
    }

    /// Every delivery that has ended.
    func ended() throws -> [Ended] {
        try connection.query(
            "SELECT apns_id, end, reason, ended_at, device FROM deliveries WHERE ended_at IS NOT NULL"
        ) { row in
            Ended(
                id: row.text(0), end: row.text(1), reason: row.text(2), at: row.integer(3),
                device: row.integer(4))
        }
    }

    /// How many ends have been counted, whatever row they were of.
    func countedEnds() throws -> Int64 { try number("SELECT sum(count) FROM ends") }

    /// How many notices ended without a delivery, because no device was left.
    func endedNotices() throws -> Int64 { try number("SELECT count(*) FROM notices WHERE end IS NOT NULL") }

    /// How many deliveries weren't made because the device was gone when it was the notice's turn.
    func neverMade() throws -> Int64 {
        try number(
            """
            SELECT count(*) FROM notices JOIN accounts ON accounts.user = notices.user
                JOIN devices ON devices.account = accounts.id AND devices.removed_at IS NOT NULL
                LEFT JOIN deliveries ON deliveries.notice = notices.id AND deliveries.device = devices.id
            WHERE deliveries.id IS NULL
            """)
    }

    /// All devices by their ids.
    func devices() throws -> [Int64: DeviceState] {
        let rows = try connection.query("SELECT id, removed_reason, disabled_at, registered_at FROM devices")
        { row in
            (
                id: row.integer(0) as Int64, reason: row.optionalText(1),
                disabledAt: row.optionalInteger(2) as Int64?, registeredAt: row.integer(3) as Int64
            )
        }
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let state = DeviceState(
                    token: tokens[row.id] ?? "", removedReason: row.reason,
                    isDisabled: row.disabledAt != nil, registeredAt: row.registeredAt)
                return (row.id, state)
            })
    }

    private func number(_ sql: StaticString, _ value: Int64? = nil) throws -> Int64 {
        try connection.first(sql, value.map { [.integer($0)] } ?? []) { $0.integer(0) as Int64 } ?? 0
    }
}
