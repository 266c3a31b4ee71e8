import Foundation
import Posix
import Queue
import Testing

@testable import DoorbellCommand

@Suite("Trace of a wake")
struct TraceReportTests {
    private static let time = WallTime(milliseconds: 1_790_000_000_000)
    private static let later = time.advanced(by: .seconds(5))

    private static let trace = Trace(
        delivery: 12, apnsID: "5b0e1d6a-934c-5f27-a851-0cd73e62f419", attempts: 0, nextAttemptAt: time,
        expiration: time.advanced(by: .seconds(86_400)),
        notice: Notice(
            id: 3,
            content: NewNotice(
                ownerUID: 1000, spoolName: Array("1790000000.abc".utf8), user: "alice", folder: "INBOX",
                uid: 4271, uidValidity: nil, uidHint: nil, filed: nil, messageID: "<secret@example.org>",
                at: time)),
        insertedAt: time, decidedAt: time,
        device: Device(
            id: 7, account: 1,
            registration: DeviceRegistration(
                user: "alice", token: Array(0..<32), topic: "com.example.Mail", environment: "production",
                label: "Phone"),
            createdAt: time, registeredAt: time, lastSeenAt: time))

    private func text(hindrance: String? = nil, _ change: (inout Trace) -> Void) -> String {
        var trace = Self.trace
        change(&trace)
        return TraceReport(trace, hindrance: hindrance, now: Self.time).text
    }

    private func answer(_ end: String?, _ reason: String?, attempts: Int = 0, due: WallTime = time) -> String
    {
        let line = text {
            $0.end = end
            $0.endedAt = end.map { _ in Self.time }
            $0.reason = reason
            $0.attempts = attempts
            $0.nextAttemptAt = due
        }.split(separator: "\n")[0]
        return String(line.dropFirst("reached Apple  ".count))
    }

    @Test("All is told by ids and times, the answer first; nothing of the mail but where it is")
    func whole() {
        let text = text {
            $0.end = "sent"
            $0.endedAt = Self.later
            $0.reason = "accepted"
            $0.attempts = 2
        }
        #expect(
            text == """
                reached Apple  yes, accepted
                apns-id        5b0e1d6a-934c-5f27-a851-0cd73e62f419
                delivery       12
                state          sent 2026-09-21T14:13:25.000Z, accepted
                attempts       2
                expires        2026-09-22T14:13:20.000Z
                notice         3: alice, INBOX
                uid            4271
                mail arrived   2026-09-21T14:13:20.000Z
                in the queue   2026-09-21T14:13:20.000Z
                fanned out     2026-09-21T14:13:20.000Z
                device         7: live
                lane           production com.example.Mail
                last seen      2026-09-21T14:13:20.000Z
                last failure   none

                """)
    }

    @Test(
        "Whether an ended wake reached Apple follows from how and why it ended",
        arguments: [
            ("sent", "accepted", 0, "yes, accepted"),
            ("sent", "accepted by a stand-in", 0, "no, accepted by a stand-in (DOORBELL_APNS_HOST)"),
            ("failed", "Unregistered", 0, "yes, refused: Unregistered"),
            ("failed", "status 418", 0, "yes, refused: status 418"),
            ("failed", "device row unusable", 0, "no, failed before a request: device row unusable"),
            ("failed", "payload too large", 0, "no, failed before a request: payload too large"),
            ("failed", "PayloadTooLarge", 1, "yes, refused: PayloadTooLarge"),
            ("failed", "poison after lost", 0, "perhaps, given up: each time it was taken dispatch died"),
            ("dropped", "device_gone", 0, "not accepted: the device was removed"),
            ("dropped", "moon_gone", 0, "not accepted: moon_gone"),
            ("expired", "expired", 0, "not accepted: it grew too old"),
            ("expired", "expired", 3, "perhaps, but not accepted in time: it grew too old"),
            (
                "expired", "expired after InvalidProviderToken", 0,
                "not accepted: it grew too old, after InvalidProviderToken"
            ),
            (
                "expired", "expired after ServiceUnavailable", 3,
                "not accepted: it grew too old, after ServiceUnavailable"
            ),
            (
                "dropped", "superseded after connection lost", 1,
                "perhaps, but not accepted in time: a newer wake of the folder took its place, after connection lost"
            ),
            ("poisoned", nil, 0, "unknown, ended as a later version of this program ends wakes"),
        ] as [(String, String?, Int, String)])
    func ended(end: String, reason: String?, attempts: Int, expected: String) {
        #expect(answer(end, reason, attempts: attempts) == expected)
    }

    @Test(
        "Of one that waits it is told what the last try came to",
        arguments: [
            (nil, "not yet: "), ("ServiceUnavailable", "not yet: ServiceUnavailable; "),
            ("not processed", "not yet: not processed; "),
            ("connection lost", "perhaps: connection lost; "),
            ("no answer in time", "perhaps: no answer in time; "),
        ] as [(String?, String)])
    func waiting(reason: String?, expected: String) {
        #expect(answer(nil, reason) == "\(expected)due")
        #expect(answer(nil, reason, due: Self.later) == "\(expected)next try 2026-09-21T14:13:25.000Z")
    }

    @Test("A superseded wake names the one that took its place, as long as that is known")
    func superseded() {
        let dropped: (Trace.Successor) -> String = { successor in
            text {
                $0.end = "dropped"
                $0.endedAt = Self.time
                $0.reason = "superseded"
                $0.supersededBy = successor
            }
        }
        #expect(
            dropped(.init(delivery: 15, apnsID: "x-y")).contains(
                "\nsuperseded by  delivery 15, apns-id x-y\n"))
        #expect(
            dropped(.init(delivery: 15, apnsID: nil)).contains(
                "\nsuperseded by  delivery 15, which is forgotten\n"))
    }

    @Test("A wake that waits says so, and an unknown uid isn't called 0")
    func open() {
        let text = text {
            $0.nextAttemptAt = Self.later
            $0.decidedAt = nil
            $0.notice.content.uid = 0
        }
        #expect(text.contains("\nstate          deferred\n"))
        #expect(text.contains("\nuid            unknown\n"))
        #expect(text.contains("\nfanned out     not yet\n"))
    }

    @Test(
        "Of a uid that isn't known it is told why, and of a guess that it is one",
        arguments: [
            (0, "not_found", "unknown: not found in this folder"),
            (0, "out_of_time", "unknown: no answer from Dovecot in time"),
            (0, "unavailable", "unknown: Dovecot can't be asked"),
            (0, "unaskable", "unknown: nothing to look for it by"), (0, "as_later_versions_say", "unknown"),
            (7, "guid", "7"), (7, "hint", "7, a guess"),
        ] as [(UInt32, String, String)])
    func uid(uid: UInt32, source: String, words: String) {
        let text = text {
            $0.notice.content.uid = uid
            $0.uidSource = source
        }
        #expect(text.contains("\nuid            \(words)\n"))
    }

    @Test("Of one that waits it is told what keeps its lane waiting")
    func hindered() {
        #expect(
            text(hindrance: "its lane is paused, 403 Forbidden (refused)") { _ in }
                .hasPrefix("reached Apple  not yet: its lane is paused, 403 Forbidden (refused)\n"))
        let lane = LaneReport.Lane(
            environment: "production", topic: "com.example.Mail", connections: 0, inHand: 0,
            trouble: LaneReport.Trouble(kind: "refused", reason: "403 Forbidden", since: nil, nextTry: nil))
        let device = Self.trace.device
        #expect(Hindrance(lanes: [lane]).of(device) == "its lane is paused, 403 Forbidden (refused)")
        #expect(Hindrance().of(device) == nil)
        #expect(Hindrance(dispatchRuns: false).of(device) == "dispatch doesn't run")
        #expect(
            Hindrance(pushIsOffBecause: "no [push]", lanes: [lane]).of(device) == "push is off (no [push])")
    }

    @Test("A user's wakes are one line for each device, and those that no device wanted one with the reason")
    func wakes() {
        var sent = Self.trace
        sent.end = "sent"
        sent.endedAt = Self.later
        sent.reason = "accepted"
        var unwanted = Self.trace.notice
        unwanted.content.folder = "Spam"
        unwanted.content.uid = 0
        let table = WakeTable(
            [
                TracedWake(notice: unwanted, end: "dropped", reason: "folder_off", deliveries: []),
                TracedWake(notice: sent.notice, end: nil, reason: nil, deliveries: [sent]),
                TracedWake(
                    notice: unwanted, uidSource: "unavailable", end: nil, reason: nil, deliveries: []),
            ], hasDevice: true, Hindrance(), now: Self.later)
        #expect(
            table.text == """
                MAIL ARRIVED (UTC)        FOLDER  UID                              DEVICE  REACHED APPLE  \
                                        APNS-ID
                2026-09-21T14:13:20.000Z  Spam    unknown                          none    not sent: no \
                device wants this folder  none
                2026-09-21T14:13:20.000Z  INBOX   4271                             7       yes, accepted  \
                                        \(sent.apnsID)
                2026-09-21T14:13:20.000Z  Spam    unknown: Dovecot can't be asked  none    not yet: dispatch \
                hasn't come to it    none

                """)
    }

    @Test("Every reason of a wake that is dropped has words of its own, which the manual page has too")
    func words() throws {
        let page = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../man/doorbell.8")
        let manual = try String(contentsOf: page.standardized, encoding: .utf8)
        let words = DropReason.allCases.compactMap { reason in
            DropReason.words(of: reason.rawValue).map { (reason.rawValue, $0) }
        }
        #expect(Set(words.map(\.1)).count == DropReason.allCases.count)
        for (reason, words) in words {
            #expect(manual.contains(".It Cm \(reason)\n\(words)\n"), "\(reason)")
        }
    }
}
