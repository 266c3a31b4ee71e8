import APNs
import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("Settlement of a delivery")
struct VerdictTests {
    private func settlement(
        _ answer: Answer, of delivery: DueDelivery = Samples.due(), laneIsDoubted: Bool = false,
        laneIsPaused: Bool = false
    ) -> Settlement {
        Verdict.settlement(
            of: delivery, answer, requestedAt: Samples.now, now: Samples.now.advanced(by: .seconds(1)),
            jitter: 0, provider: "TEAM/KEY", laneIsDoubted: laneIsDoubted, laneIsPaused: laneIsPaused)
    }

    private func response(
        _ status: Int, _ reason: String? = nil, retryAfter: Duration? = nil
    ) -> Answer {
        .response(
            NotificationResponse(
                status: status, reason: reason.map { Reason(rawValue: $0) },
                retryAfter: retryAfter.map { .delay($0) }))
    }

    @Test("It is conditional on the row as it was taken")
    func guarded() {
        let settled = settlement(response(200), of: Samples.due(attempts: 4))
        #expect(settled.delivery == 12)
        #expect(settled.attempts == 4)
        #expect(settled.nextAttemptAt == Samples.now)
    }

    @Test("Accepted is sent, and the device was seen")
    func accepted() {
        #expect(settlement(response(200)).outcome == .ended(.sent, reason: "accepted"))
        let elsewhere = Verdict.settlement(
            of: Samples.due(), response(200), requestedAt: Samples.now, now: Samples.now, jitter: 0,
            provider: "TEAM/KEY", laneIsDoubted: false, laneIsPaused: false, acceptance: .byStandIn)
        #expect(elsewhere.outcome == .ended(.sent, reason: "accepted by a stand-in"))
        // Else it would have devices removed that Apple doubted.
        #expect(elsewhere.deviceChange == .seen(under: "TEAM/KEY stand-in production com.example.Mail"))
        #expect(
            settlement(response(200)).deviceChange == .seen(under: "TEAM/KEY production com.example.Mail"))
    }

    @Test("A refusal keeps Apple's reason")
    func refused() {
        let settled = settlement(response(413, "PayloadTooLarge"))
        #expect(settled.outcome == .ended(.failed, reason: "PayloadTooLarge"))
        #expect(settled.deviceChange == nil)
    }

    @Test("BadDeviceToken makes the device suspect, unless it registered anew after the request")
    func suspect() {
        #expect(
            settlement(response(400, "BadDeviceToken")).deviceChange
                == .suspected(
                    reason: "BadDeviceToken", under: "TEAM/KEY production com.example.Mail",
                    unlessRegisteredSince: Samples.now))
    }

    @Test("DeviceTokenNotForTopic is a strike, unless the device registered anew after the request")
    func blamed() {
        #expect(
            settlement(response(400, "DeviceTokenNotForTopic")).deviceChange
                == .struck(reason: "DeviceTokenNotForTopic", unlessRegisteredSince: Samples.now))
    }

    @Test("A refused credential leaves the delivery due at once and uncharged")
    func uncharged() {
        #expect(
            settlement(response(403, "InvalidProviderToken")).outcome
                == .deferred(
                    until: Samples.now, charged: false, reason: "InvalidProviderToken"))
    }

    @Test("Overload defers by the schedule, or by what the server asks for")
    func deferred() {
        let now = Samples.now.advanced(by: .seconds(1))
        #expect(
            settlement(response(503), of: Samples.due(attempts: 1)).outcome
                == .deferred(until: now.advanced(by: .seconds(8)), charged: true, reason: "status 503"))
        #expect(
            settlement(response(429, "TooManyRequests", retryAfter: .seconds(30))).outcome
                == .deferred(until: now.advanced(by: .seconds(30)), charged: true, reason: "TooManyRequests"))
    }

    @Test(
        "Hazards 64 and 66: of all the answers there are only a 410 removes a device, and three more blame it",
        arguments: [200, 400, 403, 404, 405, 410, 413, 418, 429, 500, 503])
    func blame(status: Int) {
        for reason in Array(Reason.documented.sorted()).map(Optional.some) + ["Novel2027", nil] {
            let expected: String? =
                switch (status, reason) {
                case (200, _): "seen"
                case (410, _): "reaped"
                case (429, "TooManyProviderTokenUpdates"): nil
                case (429, _): "throttled"
                case (400, "BadDeviceToken"): "suspected"
                case (400, "DeviceTokenNotForTopic"): "struck"
                default: nil
                }
            let change = settlement(response(status, reason)).deviceChange
            let name: String? =
                switch change {
                case .seen: "seen"
                case .cleared: "cleared"
                case .failed: "failed"
                case .suspected: "suspected"
                case .struck: "struck"
                case .throttled: "throttled"
                case .reaped: "reaped"
                case nil: nil
                }
            #expect(name == expected, "\(status) \(reason ?? "without a reason")")
        }
    }

    @Test(
        "Hazard 65: where the lane is doubted a refused token blames nobody and clears who was blamed, and its wake waits behind the others"
    )
    func doubtedLane() {
        let settled = settlement(response(400, "BadDeviceToken"), laneIsDoubted: true)
        #expect(settled.deviceChange == .cleared(under: "TEAM/KEY production com.example.Mail"))
        let now = Samples.now.advanced(by: .seconds(1))
        #expect(settled.outcome == .deferred(until: now, charged: false, reason: "BadDeviceToken"))
        #expect(
            settlement(response(400, "DeviceTokenNotForTopic"), laneIsDoubted: true).outcome
                == .ended(.failed, reason: "DeviceTokenNotForTopic"))
    }

    @Test("What a failing server answers while its lane is paused charges no wake, which waits behind others")
    func pausedLane() {
        let settled = settlement(response(500, "InternalServerError"), laneIsPaused: true)
        let now = Samples.now.advanced(by: .seconds(1))
        #expect(settled.outcome == .deferred(until: now, charged: false, reason: "InternalServerError"))
        guard case .deferred(_, charged: true, _) = settlement(.missing(.lost), laneIsPaused: true).outcome
        else {
            Issue.record("a delivery that may have arrived isn't charged")
            return
        }
    }

    @Test("Told of too many requests, a device waits by its own count and not by the delivery's")
    func throttled() {
        var device = Samples.device()
        device.throttles = 2
        let settled = settlement(response(429, "TooManyRequests"), of: Samples.due(device: device))
        let until = Samples.now.advanced(by: .seconds(1 + 32))
        #expect(settled.outcome == .deferred(until: until, charged: true, reason: "TooManyRequests"))
        #expect(settled.deviceChange == .throttled(until: until, reason: "TooManyRequests"))
    }

    @Test("Hazard 24: a request without an answer is tried again, charged only if it may have arrived")
    func missing() {
        guard case .deferred(_, charged: true, "connection lost") = settlement(.missing(.lost)).outcome,
            case .deferred(_, charged: false, "not processed") = settlement(.missing(.notProcessed)).outcome
        else {
            Issue.record("judged wrongly")
            return
        }
    }
}
