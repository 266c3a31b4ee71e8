import Posix
import Queue
import Testing

@testable import DoorbellCommand

@Suite("The list of devices")
struct DeviceTableTests {
    private static let time = WallTime(milliseconds: 1_790_000_000_000)

    private var device: Device {
        Device(
            id: 7, account: 1,
            registration: DeviceRegistration(
                user: "alice", token: Array(0..<32), topic: "com.example.Mail", environment: "production",
                label: "Phone"),
            createdAt: Self.time, registeredAt: Self.time)
    }

    private func line(_ change: (inout Device) -> Void) -> String {
        var device = device
        change(&device)
        return String(DeviceTable([device], now: Self.time).text.split(separator: "\n")[1])
    }

    @Test("A device stands on one line below the heading, with 8 characters of its token")
    func whole() {
        #expect(
            DeviceTable([device], now: Self.time).text == """
                ID  TOKEN     USER   ENVIRONMENT  TOPIC             PLATFORM  FOLDERS  REGISTERED                \
                LAST SEEN  LAST FAILURE  STATE  LABEL
                7   00010203  alice  production   com.example.Mail  ios       INBOX    2026-09-21T14:13:20.000Z  \
                never      none          live   Phone

                """)
    }

    @Test("Folders are named as they were given")
    func folders() {
        #expect(line { $0.registration.enabledFolders = ["INBOX", "Lists"] }.contains(" INBOX,Lists "))
    }

    @Test("A device says what is the matter with it, since when and why")
    func states() {
        let time = Self.time
        #expect(line { $0.lastSeenAt = time }.contains(" 2026-09-21T14:13:20.000Z  none  "))
        #expect(
            line {
                $0.lastFailure = "BadDeviceToken"
                $0.suspectSince = time
            }.contains(" suspect since 2026-09-21T14:13:20.000Z: BadDeviceToken "))
        #expect(
            line {
                $0.lastFailure = "DeviceTokenNotForTopic"
                $0.suspectSince = time
                $0.disabledAt = time
            }.contains(" disabled since 2026-09-21T14:13:20.000Z: DeviceTokenNotForTopic "))
        #expect(
            line {
                $0.lastFailure = "TooManyRequests"
                $0.throttledUntil = time.advanced(by: .seconds(1))
            }.contains(" throttled until 2026-09-21T14:13:21.000Z: TooManyRequests "))
        #expect(
            line {
                $0.disabledAt = time
                $0.removedAt = time
                $0.removedReason = "Unregistered"
            }.contains(" removed 2026-09-21T14:13:20.000Z: Unregistered "))
    }

    @Test("A failure is shown with its time, whatever the state")
    func failure() {
        #expect(
            line {
                $0.lastFailure = "TooManyRequests"
                $0.lastFailedAt = Self.time
                $0.throttledUntil = Self.time
            }.contains(" 2026-09-21T14:13:20.000Z: TooManyRequests  live "))
    }

    @Test("A label can't write to the terminal")
    func controlCharacters() {
        #expect(line { $0.registration.label = "a\u{1B}[2J\nb" }.hasSuffix("a?[2J?b"))
    }

    @Test("Without a device the list says how to register one")
    func empty() {
        #expect(DeviceTable([], now: Self.time).text == "no devices; register one with doorbell device add\n")
    }
}
