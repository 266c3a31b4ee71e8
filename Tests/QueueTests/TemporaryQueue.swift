import Foundation
import Posix
import Queue
import SQLite
import TestSupport
import Testing

/// A queue in a file of its own, with what most tests start from.
struct TemporaryQueue {
    static let now = WallTime(milliseconds: 1_790_000_000_250)

    let directory: TemporaryDirectory
    let store: QueueStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try .unlocked(path: directory.file("doorbell.db"), busyTimeout: .seconds(5))
    }

    var path: String { directory.file("doorbell.db") }

    /// A second program's view of the same file.
    func another(busyTimeout: Duration = .seconds(5)) throws -> QueueStore {
        try .unlocked(path: path, busyTimeout: busyTimeout)
    }

    /// The file as SQLite sees it, for what the queue itself doesn't show.
    func connection() throws -> Connection { try Connection(path: path, busyTimeout: .seconds(5)) }

    /// A notice for alice with this spool name.
    static func notice(_ name: String, user: String = "alice", folder: String = "INBOX", at: WallTime = now)
        -> NewNotice
    {
        NewNotice(
            ownerUID: 1000, spoolName: Array(name.utf8), user: user, folder: folder, uid: 7, uidValidity: 42,
            uidHint: nil, filed: "1.host:2,", messageID: "<1@example.org>", at: at)
    }

    /// A device of alice's with this token.
    static func device(_ byte: UInt8 = 0xA1, user: String = "alice") -> DeviceRegistration {
        DeviceRegistration(
            user: user, token: Array(repeating: byte, count: 32), topic: "org.example.Mail",
            environment: "production", label: "Phone")
    }

    /// A device of alice's with a token that occurs nowhere by chance.
    static func device(secretOf byte: UInt8) -> DeviceRegistration {
        var device = device()
        device.token = secret(byte)
        return device
    }

    /// 32 bytes that look random.
    static func secret(_ byte: UInt8) -> [UInt8] { (0..<32).map { (byte &+ $0) &* ($0 &* 37 &+ 11) ^ 0x5A } }

    /// Fans out everything that waits to every device.
    @discardableResult
    func fanOut(now: WallTime = now, expiration: WallTime = now.advanced(by: .seconds(86_400))) throws
        -> [FanOutDecision]
    {
        try store.fanOut(limit: 1000, now: now, ceiling: .max) { notice, recipients in
            .deliver(
                recipients.devices.map {
                    NewDelivery(
                        device: $0.device.id, apnsID: "id-\(notice.id)-\($0.device.id)",
                        collapseID: "INBOX:7",
                        expiration: expiration)
                })
        }
    }

    /// Registers a device, inserts notices by these names and fans them out; gives the device's id.
    func withDeliveries(_ names: [String], now: WallTime = now) throws -> Int64 {
        let device = try store.register(Self.device(), now: now)
        _ = try store.insert(names.map { Self.notice($0) }, now: now)
        try fanOut(now: now)
        return device
    }

    /// Everything that is due at the fixed time.
    func due(now: WallTime = now) throws -> [DueDelivery] {
        try store.due(now: now, limit: 1000, excluding: [])
    }

    /// How many wakes ended one way for one reason.
    func ends(_ end: End, _ reason: String) throws -> Int64 {
        try store.counts(now: Self.now).ends.first { $0.end == end.rawValue && $0.reason == reason }?.count
            ?? 0
    }
}

extension QueueStore {
    /// What is due in the lane of the devices that tests register.
    func due(
        now: WallTime, limit: Int, excluding inHand: Set<Int64>,
        staleBefore: WallTime = WallTime(milliseconds: .min)
    ) throws(QueueError) -> [DueDelivery] {
        try due(
            now: now, limit: limit, excluding: inHand, environment: "production", topic: "org.example.Mail",
            staleBefore: staleBefore)
    }
}

/// Looks through all files of a directory but the key's for more of these tokens than anybody may see.
func expectNoToken(
    of bytes: ClosedRange<UInt8>, in directory: TemporaryDirectory,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
    where name != "doorbell.key" {
        let data = try Data(contentsOf: URL(fileURLWithPath: directory.file(name)))
        for byte in bytes {
            for part in [TemporaryQueue.secret(byte)[2..<10], TemporaryQueue.secret(byte)[20..<28]] {
                let digits = part.map { String(format: "%02x", $0) }.joined()
                let hasTrace = [Data(part), Data(digits.utf8), Data(digits.uppercased().utf8)].contains {
                    data.range(of: $0) != nil
                }
                #expect(!hasTrace, "\(name), token \(byte)", sourceLocation: sourceLocation)
            }
        }
    }
}
