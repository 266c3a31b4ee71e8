import Foundation
import Posix
import Queue
import TestSupport

@testable import DispatchCommand

/// Fills an installation's queue the way the drain and the operator do, and looks at what has become of it.
struct TestQueue {
    let store: QueueStore

    init(_ installation: Installation) throws {
        store = try .unlocked(path: installation.queue, busyTimeout: .seconds(5))
    }

    /// A token of 32 times this byte.
    static func token(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 32) }

    /// Registers a device of alice's.
    @discardableResult
    func register(
        _ byte: UInt8, folders: [String] = [], environment: String = "production", platform: String = "ios",
        user: String = "alice"
    ) throws -> Int64 {
        var device = DeviceRegistration(
            user: user, token: Self.token(byte), topic: "com.example.Mail", environment: environment,
            label: "Phone")
        device.enabledFolders = folders
        device.platform = platform
        return try store.register(device, now: .now)
    }

    /// Inserts mails for alice with uids counted from `first`.
    ///
    /// One folder rings a device 20 times at once and then seldom: more go to numbered folders, 20 to each.
    func insert(_ count: Int = 1, folder: String = "INBOX", first: UInt32 = 1, at: WallTime = .now) throws {
        let notices = (0..<count).map { index in
            let folder = count <= WakeAllowance.burst ? folder : "\(folder)/\(index / WakeAllowance.burst)"
            return NewNotice(
                ownerUID: 1000, spoolName: Array("\(folder)-\(first)-\(index)-\(UUID())".utf8), user: "alice",
                folder: folder, uid: first + UInt32(index), uidValidity: nil, uidHint: nil, filed: nil,
                messageID: "<\(index)@example.org>", at: at)
        }
        _ = try store.insert(notices, now: .now)
    }

    /// What is due in production.
    func due() throws -> [DueDelivery] {
        try store.due(
            now: .now, limit: 1000, excluding: [], environment: "production", topic: "com.example.Mail",
            staleBefore: WallTime(milliseconds: .min))
    }

    /// How many wakes ended one way, for one reason or all.
    func ended(_ end: End, _ reason: String? = nil) throws -> Int64 {
        try store.counts(now: .now).ends
            .filter { $0.end == end.rawValue && (reason == nil || $0.reason == reason) }
            .reduce(0) { $0 + $1.count }
    }

    /// The device with this id.
    func device(_ id: Int64) throws -> Device? { try store.devices().first { $0.id == id } }
}

/// An installation where one wake waits for one device, whose token is made of a1.
func oneWake(push: String? = nil, simulator: [String] = []) throws -> (Installation, TestQueue) {
    let installation = try Installation(push: push, simulator: simulator)
    let queue = try TestQueue(installation)
    try queue.register(0xA1)
    try queue.insert()
    return (installation, queue)
}
