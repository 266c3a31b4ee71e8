import Posix
import Queue
import TLS
import Testing

@testable import DispatchCommand

@Suite("Fan-out of a notice")
struct FanOutTests {
    private let fanOut = FanOut(
        expiration: .seconds(86_400), keyedHash: { Hash.hmacSHA256(key: [1], $0) }, sha1: { Hash.sha1($0) })

    private func decide(_ notice: Notice, _ recipients: Recipients) -> FanOutDecision {
        var allowance = WakeAllowance()
        return fanOut.decide(notice, recipients, &allowance, now: Samples.now, boot: .zero)
    }

    private func devices(_ decision: FanOutDecision) -> [Int64] {
        guard case .deliver(let deliveries) = decision else { return [] }
        return deliveries.map(\.device)
    }

    @Test(
        "A device hears of its enabled folders: none listed is INBOX only, a star is all",
        arguments: [
            ([], "INBOX", true), ([], "inbox", true), ([], "Lists", false), (["Lists"], "Lists", true),
            (["Lists"], "INBOX", false), (["INBOX", "Lists"], "INBOX", true), (["*"], "Lists.A B", true),
            (["Lists"], "lists", false),
        ])
    func folders(enabled: [String], folder: String, isHeard: Bool) {
        let decision = decide(
            Samples.notice(folder: folder), Samples.recipients([Samples.device(folders: enabled)]))
        #expect(devices(decision) == (isHeard ? [1] : []))
        if !isHeard { #expect(decision == .drop(.folderOff)) }
    }

    @Test(
        "Where Dovecot gave no uid the folder's name may not be Dovecot's either, and each that it may be counts",
        arguments: [
            ("INBOX.Lists", "Lists"), ("Lists/Swift", "Lists.Swift"), ("INBOX.Lists.Swift", "Lists/Swift"),
        ])
    func unlocated(enabled: String, folder: String) {
        for (uid, isHeard) in [(UInt32(0), true), (4, false)] {
            let notice = Samples.notice(folder: folder, uid: uid)
            let device = Samples.device(folders: [enabled])
            #expect(devices(decide(notice, Samples.recipients([device]))) == (isHeard ? [1] : []))
            let submission = Submission.of(
                Samples.due(notice: notice, device: device), maxAge: .seconds(3600), agesCount: true,
                otherInHand: false, now: Samples.now)
            #expect((submission == .end(.dropped, reason: "folder_off")) == !isHeard)
        }
        let (notice, other) = (Samples.notice(folder: folder, uid: 0), Samples.device(folders: ["Lists.X"]))
        #expect(decide(notice, Samples.recipients([other])) == .drop(.folderOff))
    }

    @Test("Each device that wants it gets a delivery of its own, with an id of its own")
    func twoDevices() throws {
        let decision = decide(
            Samples.notice(), Samples.recipients([Samples.device(1), Samples.device(2)]))
        guard case .deliver(let deliveries) = decision else {
            Issue.record("dropped: \(decision)")
            return
        }
        #expect(deliveries.map(\.device) == [1, 2])
        #expect(Set(deliveries.map(\.apnsID)).count == 2)
        #expect(deliveries.map(\.collapseID) == ["INBOX:4271", "INBOX:4271"])
        #expect(deliveries.allSatisfy { $0.expiration.milliseconds == 1_790_000_000_000 + 86_400_000 })
    }

    @Test("A wake that nobody wants says why")
    func drops() {
        let device = Samples.device()
        #expect(decide(Samples.notice(), Samples.recipients([])) == .drop(.noDevice))
        #expect(
            decide(Samples.notice(), Samples.recipients([device], pushEnabled: false))
                == .drop(.pushOff))
        let suspect = Samples.device(suspectSince: Samples.now)
        #expect(decide(Samples.notice(), Samples.recipients([suspect])) == .drop(.deviceSuspect))
    }

    @Test(
        "A device of a channel, environment or platform that this program doesn't know is said to be unreachable",
        arguments: [
            "channel", "environment", "platform",
        ])
    func unreachable(what: String) {
        var device = Samples.device()
        switch what {
        case "channel": device.registration.channel = "fcm"
        case "environment": device.registration.environment = "moon"
        default: device.registration.platform = "toaster"
        }
        #expect(decide(Samples.notice(), Samples.recipients([device])) == .drop(.unreachable))
    }

    @Test("A token that can't be one makes a delivery, which then fails and says so")
    func unusableToken() {
        var device = Samples.device()
        device.registration.token = [1]
        #expect(devices(decide(Samples.notice(), Samples.recipients([device]))) == [1])
        #expect(
            Submission.of(
                Samples.due(device: device), maxAge: .seconds(3600), agesCount: true, otherInHand: false,
                now: Samples.now)
                == .end(.failed, reason: "device token unreadable"))
    }

    @Test("A suspect device gets nothing while its neighbour rings")
    func suspect() {
        let suspect = Samples.device(1, suspectSince: Samples.now)
        let decision = decide(Samples.notice(), Samples.recipients([suspect, Samples.device(2)]))
        #expect(devices(decision) == [2])
    }

    @Test("A suspect gets one wake a day, by which it is asked about again")
    func dailyProbe() {
        var suspect = Samples.device(suspectSince: Samples.now.advanced(by: .seconds(-200_000)))
        suspect.lastFailedAt = Samples.now.advanced(by: .seconds(-86_399))
        #expect(decide(Samples.notice(), Samples.recipients([suspect])) == .drop(.deviceSuspect))
        suspect.lastFailedAt = Samples.now.advanced(by: .seconds(-86_400))
        #expect(devices(decide(Samples.notice(), Samples.recipients([suspect]))) == [1])
    }

    @Test("A device that strikes have disabled gets nothing while its neighbour rings")
    func disabled() {
        var disabled = Samples.device(1)
        disabled.disabledAt = Samples.now
        #expect(decide(Samples.notice(), Samples.recipients([disabled])) == .drop(.deviceDisabled))
        #expect(devices(decide(Samples.notice(), Samples.recipients([disabled, Samples.device(2)]))) == [2])
    }

    @Test("Wakes beyond the allowance are held until its time, each in place of the one before")
    func held() {
        var allowance = WakeAllowance()
        let decisions = (0..<WakeAllowance.burst + 2).map { _ in
            fanOut.decide(
                Samples.notice(), Samples.recipients([Samples.device()]), &allowance, now: Samples.now,
                boot: .seconds(1000))
        }
        var deliveries: [NewDelivery] = []
        for case .deliver(let made) in decisions { deliveries += made }
        let slot = Samples.now.advanced(by: WakeAllowance.interval)
        #expect(
            deliveries.map(\.notBefore) == Array(repeating: nil, count: WakeAllowance.burst) + [slot, slot])
        #expect(deliveries.map(\.replacesWaiting) == deliveries.map { $0.notBefore != nil })
    }
}
