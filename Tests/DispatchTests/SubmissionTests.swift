import APNs
import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("Submission of a delivery that is due")
struct SubmissionTests {
    /// The sample mail is 100 s old.
    private func of(
        _ delivery: DueDelivery, maxAge: Duration = .seconds(3600), agesCount: Bool = true,
        otherInHand: Bool = false, now: WallTime = Samples.now
    ) -> Submission {
        Submission.of(delivery, maxAge: maxAge, agesCount: agesCount, otherInHand: otherInHand, now: now)
    }

    private func isSent(_ submission: Submission) -> Bool {
        guard case .send = submission else { return false }
        return true
    }

    private func device(_ change: (inout Device) -> Void) -> Device {
        var device = Samples.device()
        change(&device)
        return device
    }

    private func ago(_ seconds: Int64) -> WallTime { Samples.now.advanced(by: .seconds(-seconds)) }

    @Test("It becomes the request that the queue has fixed")
    func request() throws {
        guard case .send(let request) = of(Samples.due()) else {
            Issue.record("not sent")
            return
        }
        #expect(request.id == "5b0e1d6a-934c-5f27-a851-0cd73e62f419")
        #expect(request.collapseID == "INBOX:4271")
        #expect(request.expiration == 1_790_003_700)
        #expect(request.pushType == .alert)
        #expect(request.topic == "com.example.Mail")
    }

    @Test("A Mac is woken in the background")
    func mac() {
        guard case .send(let request) = of(Samples.due(device: Samples.device(platform: "macos"))) else {
            Issue.record("not sent")
            return
        }
        #expect(request.pushType == .background)
    }

    @Test("A device that has gone, fallen silent or lost interest since the fan-out gets no request")
    func changedDevice() {
        #expect(of(Samples.due(device: nil)) == .end(.dropped, reason: "device_gone"))
        #expect(
            of(Samples.due(device: Samples.device(removedAt: Samples.now)))
                == .end(.dropped, reason: "device_gone"))
        #expect(of(Samples.due(pushEnabled: false)) == .end(.dropped, reason: "push_off"))
        #expect(
            of(Samples.due(device: Samples.device(folders: ["Lists"])))
                == .end(.dropped, reason: "folder_off"))
        #expect(
            of(Samples.due(device: Samples.device(suspectSince: Samples.now)))
                == .end(.dropped, reason: "device_suspect"))
    }

    @Test("A wake past its expiration is never sent")
    func expired() {
        #expect(of(Samples.due(expiration: Samples.now)) == .end(.expired, reason: "expired"))
    }

    @Test(
        "A wake past its expiration is never sent, not even as the probe of a device that is doubted or throttled"
    )
    func expiredProbe() {
        let troubled = device {
            ($0.suspectSince, $0.lastFailedAt, $0.throttledUntil) = (ago(100_000), ago(100_000), ago(1))
        }
        let delivery = Samples.due(device: troubled, expiration: Samples.now, newer: 13)
        #expect(of(delivery) == .end(.expired, reason: "expired"))
    }

    @Test(
        "Hazard 99: stale mail gives way to a newer one, which is named; the newest and what is young are sent"
    )
    func stale() {
        let superseded = Submission.end(.dropped, reason: "superseded", supersededBy: 13)
        #expect(of(Samples.due(newer: 13), maxAge: .seconds(99)) == superseded)
        #expect(isSent(of(Samples.due(), maxAge: .seconds(99))))
        #expect(isSent(of(Samples.due(newer: 13), maxAge: .seconds(100))))
    }

    @Test("A device that strikes have disabled gets nothing")
    func disabled() {
        let disabled = device { $0.disabledAt = ago(1) }
        #expect(of(Samples.due(device: disabled)) == .end(.dropped, reason: "device_disabled"))
    }

    @Test(
        "A suspect is tried once a day by a wake that waits, and by one alone",
        arguments: [(86_399, false, false), (86_400, false, true), (86_400, true, false), (-5, false, true)]
            as [(Int64, Bool, Bool)])
    func dailyProbe(sinceFailure: Int64, otherInHand: Bool, isProbed: Bool) {
        let suspect = device { ($0.suspectSince, $0.lastFailedAt) = (ago(1_000_000), ago(sinceFailure)) }
        let submission = of(Samples.due(device: suspect), otherInHand: otherInHand)
        #expect(isSent(submission) == isProbed)
        if !isProbed { #expect(submission == .end(.dropped, reason: "device_suspect")) }
    }

    @Test("A throttled device's wakes wait until its time and coalesce")
    func throttled() {
        let until = Samples.now.advanced(by: .seconds(30))
        let throttled = device { ($0.throttledUntil, $0.lastFailure) = (until, "TooManyRequests") }
        #expect(of(Samples.due(device: throttled)) == .wait(until: until, reason: "TooManyRequests"))
        #expect(
            of(Samples.due(device: throttled, newer: 13))
                == .end(.dropped, reason: "superseded", supersededBy: 13))
    }

    @Test("At a throttled device's time one wake is tried, and the others wait for what comes of it")
    func oneAtATime() {
        let throttled = device { $0.throttledUntil = Samples.now }
        #expect(isSent(of(Samples.due(device: throttled))))
        guard case .wait(let until, _) = of(Samples.due(device: throttled), otherInHand: true) else {
            Issue.record("not kept waiting")
            return
        }
        #expect(until == Samples.now.advanced(by: .seconds(2)))
        #expect(isSent(of(Samples.due(), otherInHand: true)))
    }

    @Test("Hazard 73: a payload above 4096 bytes fails here, without a request")
    func tooLarge() {
        let folder = String(repeating: "\u{1}", count: 1000)
        let device = Samples.device(folders: ["*"])
        #expect(
            of(Samples.due(notice: Samples.notice(folder: folder), device: device))
                == .end(.failed, reason: "payload too large"))
    }

    @Test("Hazard 67: a device row that makes no sense fails its delivery and nothing else")
    func nonsense() {
        #expect(
            of(Samples.due(device: Samples.device(platform: "toaster")))
                == .end(.failed, reason: "device row unusable"))
    }

    @Test(
        "While the clock is in doubt nothing ends by its age: what seems expired waits, what seems stale is sent"
    )
    func clockInDoubt() {
        let late = Samples.now.advanced(by: .seconds(86_400))
        #expect(
            of(Samples.due(), agesCount: false, now: late)
                == .wait(until: late.advanced(by: .seconds(60)), reason: "the clock was set"))
        var stale = Samples.due()
        stale.newer = 13
        #expect(isSent(of(stale, maxAge: .seconds(1), agesCount: false)))
        #expect(!isSent(of(stale, maxAge: .seconds(1))))
    }
}
