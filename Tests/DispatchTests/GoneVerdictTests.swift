import APNs
import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("What a 410 does to a delivery and its device")
struct GoneVerdictTests {
    private func settlement(_ answer: Answer, of delivery: DueDelivery = Samples.due()) -> Settlement {
        Verdict.settlement(
            of: delivery, answer, requestedAt: Samples.now, now: Samples.now.advanced(by: .seconds(1)),
            jitter: 0, provider: "TEAM/KEY", laneIsDoubted: false, laneIsPaused: false)
    }

    private func response(_ status: Int, _ reason: String, timestamp: Int64) -> Answer {
        .response(
            NotificationResponse(status: status, reason: Reason(rawValue: reason), timestamp: timestamp))
    }

    @Test("A 410 reaps a device that registered before it, as the queue checks again")
    func reaped() {
        let settled = settlement(response(410, "Unregistered", timestamp: 1_790_000_000_000))
        #expect(settled.outcome == .ended(.failed, reason: "Unregistered"))
        #expect(
            settled.deviceChange
                == .reaped(
                    reason: "Unregistered",
                    unlessRegisteredSince: WallTime(milliseconds: 1_790_000_000_001)))
    }

    @Test("Hazard 69: a device that registered after the 410's moment is kept and asked about once more")
    func keptDevice() {
        let device = Samples.device(registeredAt: WallTime(milliseconds: 1_790_000_000_001))
        let gone = response(410, "Unregistered", timestamp: 1_790_000_000_000)
        let first = settlement(gone, of: Samples.due(device: device))
        let failed = DeviceChange.failed(reason: "Unregistered", unlessRegisteredSince: Samples.now)
        #expect(first.deviceChange == failed)
        guard case .deferred(_, charged: true, _) = first.outcome else {
            Issue.record("not deferred: \(first.outcome)")
            return
        }
        let second = settlement(
            gone, of: Samples.due(device: device, attempts: 1, lastReason: "Unregistered"))
        #expect(second.outcome == .ended(.failed, reason: "Unregistered"))
        #expect(second.deviceChange == failed)
    }

    @Test("Hazard 69: it is asked about once more though something else went wrong before")
    func keptAfterTrouble() {
        let device = Samples.device(registeredAt: WallTime(milliseconds: 1_790_000_000_001))
        let delivery = Samples.due(device: device, attempts: 1, lastReason: "ServiceUnavailable")
        let settled = settlement(
            response(410, "Unregistered", timestamp: 1_790_000_000_000), of: delivery)
        let until = Samples.now.advanced(by: .seconds(1 + 8))
        #expect(settled.outcome == .deferred(until: until, charged: true, reason: "Unregistered"))
    }

    @Test(
        "Hazard 69: a 410 reaps a device that registered no later than its moment; nonsense counts as the time of asking",
        arguments: [
            (#"1790000000000"#, 1_790_000_000_000, true), (#"1790000000000"#, 1_789_999_999_000, true),
            (#"1790000000000"#, 1_790_000_000_001, false),
            // No timestamp, seconds, a text, zero, a time to come: the moment of asking, 1,790,000,100,000.
            (nil, 1_790_000_100_000, true), (nil, 1_790_000_100_001, false),
            (#"1790000000"#, 1_790_000_100_000, true), (#""1790000000000""#, 1_790_000_050_000, true),
            (#"0"#, 1_790_000_100_000, true), (#"1890000000000"#, 1_790_000_100_001, false),
        ] as [(String?, Int64, Bool)])
    func registrationAgainstTimestamp(timestamp: String?, registeredAt: Int64, isReaped: Bool) {
        let member = timestamp.map { #","timestamp":\#($0)"# } ?? ""
        let body = Array(#"{"reason":"Unregistered"\#(member)}"#.utf8)
        let device = Samples.device(registeredAt: WallTime(milliseconds: registeredAt))
        let answer = Answer.response(NotificationResponse(status: 410, retryAfter: nil, body: body))
        let settled = settlement(answer, of: Samples.due(device: device))
        if case .reaped = settled.deviceChange { #expect(isReaped) } else { #expect(!isReaped) }
    }
}
