import APNs
import Posix
import Queue
import TLS
import TestSupport

@testable import DispatchCommand

/// The dispatcher's decisions on a real queue, without a network and with a clock that a test moves.
///
/// Claims what is due, in hand until the end of the round, asks `answering` for each request, and settles.
struct PaperDispatcher {
    let store: QueueStore
    private let directory: TemporaryDirectory
    private let fanOut = FanOut(
        expiration: .seconds(86_400), keyedHash: { Hash.hmacSHA256(key: [1], $0) }, sha1: { Hash.sha1($0) })
    private var allowance = WakeAllowance()
    private(set) var now = Samples.now
    private var boot: Duration = .seconds(1000)

    init() throws {
        directory = try TemporaryDirectory()
        store = try .unlocked(path: directory.file("doorbell.db"), busyTimeout: .seconds(5))
    }

    mutating func advance(by span: Duration) {
        now = now.advanced(by: span)
        boot += span
    }

    func register(_ byte: UInt8, folders: [String] = ["*"]) throws -> Int64 {
        var device = DeviceRegistration(
            user: "alice", token: TestQueue.token(byte), topic: "com.example.Mail", environment: "production")
        device.enabledFolders = folders
        return try store.register(device, now: now)
    }

    /// Inserts mails into one folder and fans them out.
    mutating func insert(_ names: [String], folder: String = "INBOX") throws {
        let (now, boot) = (now, boot)
        let notices = names.map {
            NewNotice(
                ownerUID: 1000, spoolName: Array($0.utf8), user: "alice", folder: folder, uid: 1,
                messageID: "",
                at: now)
        }
        _ = try store.insert(notices, now: now)
        _ = try store.fanOut(limit: names.count, now: now) { notice, recipients in
            fanOut.decide(notice, recipients, &allowance, now: now, boot: boot)
        }
    }

    /// Does one round; gives the devices that requests were made for.
    func round(limit: Int = 200, maxAge: Duration = .seconds(3600), answering: (Device) -> Answer) throws
        -> [Int64]
    {
        let due = try store.due(
            now: now, limit: limit, excluding: [], environment: "production", topic: "com.example.Mail",
            staleBefore: now.advanced(by: .zero - maxAge))
        var settlements: [Settlement] = []
        var asked: [Int64] = []
        for delivery in due {
            guard let device = delivery.device else { continue }
            switch Submission.of(
                delivery, maxAge: maxAge, agesCount: true, otherInHand: asked.contains(device.id), now: now)
            {
            case .send:
                asked.append(device.id)
                settlements.append(
                    Verdict.settlement(
                        of: delivery, answering(device), requestedAt: now, now: now, jitter: 0,
                        provider: "TEAM/KEY", laneIsDoubted: false, laneIsPaused: false))
            case .end(let end, let reason, let successor):
                settlements.append(Settlement(delivery, .ended(end, reason: reason, supersededBy: successor)))
            case .wait(let until, let reason):
                settlements.append(
                    Settlement(delivery, .deferred(until: until, charged: false, reason: reason)))
            }
        }
        _ = try store.settle(settlements, now: now)
        return asked
    }

    /// How many wakes ended one way for one reason.
    func ended(_ end: End, _ reason: String) throws -> Int64 {
        try store.counts(now: now).ends.first { $0.end == end.rawValue && $0.reason == reason }?.count ?? 0
    }
}
