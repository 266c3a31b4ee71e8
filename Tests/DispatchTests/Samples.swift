import Posix
import Queue

@testable import DispatchCommand

/// Ordinary values that a test changes in the one place it is about.
enum Samples {
    static let now = WallTime(milliseconds: 1_790_000_100_000)

    static func notice(folder: String = "INBOX", uid: UInt32 = 4271, user: String = "alice") -> Notice {
        Notice(
            id: 3,
            content: NewNotice(
                ownerUID: 1000, spoolName: Array("1790000000.abc".utf8), user: user, folder: folder, uid: uid,
                uidValidity: nil, uidHint: nil, filed: nil, messageID: "<a@example.org>",
                at: WallTime(milliseconds: 1_790_000_000_000)))
    }

    static func device(
        _ id: Int64 = 1, folders: [String] = [], platform: String = "ios", suspectSince: WallTime? = nil,
        removedAt: WallTime? = nil, registeredAt: WallTime = WallTime(milliseconds: 1_780_000_000_000)
    ) -> Device {
        var registration = DeviceRegistration(
            user: "alice", token: Array(repeating: UInt8(id), count: 32), topic: "com.example.Mail",
            environment: "production", label: "Phone")
        registration.platform = platform
        registration.enabledFolders = folders
        return Device(
            id: id, account: 1, registration: registration, createdAt: registeredAt,
            registeredAt: registeredAt,
            suspectSince: suspectSince, removedAt: removedAt)
    }

    static func recipients(_ devices: [Device], pushEnabled: Bool = true) -> Recipients {
        Recipients(
            account: 1, pushEnabled: pushEnabled,
            devices: devices.map { Recipient(device: $0, tokenServesOneAccount: true) }, firstUIDValidity: nil
        )
    }

    static func due(
        notice: Notice = notice(), device: Device? = device(), attempts: Int = 0, pushEnabled: Bool = true,
        expiration: WallTime = now.advanced(by: .seconds(3600)), newer: Int64? = nil,
        lastReason: String? = nil
    ) -> DueDelivery {
        DueDelivery(
            id: 12, attempts: attempts, nextAttemptAt: now, apnsID: "5b0e1d6a-934c-5f27-a851-0cd73e62f419",
            collapseID: "INBOX:4271", expiration: expiration, notice: notice, device: device,
            pushEnabled: pushEnabled, newer: newer, lastReason: lastReason)
    }
}
