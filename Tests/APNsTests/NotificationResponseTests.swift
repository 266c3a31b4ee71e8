import APNs
import Testing

@Suite("Answer from APNs")
struct NotificationResponseTests {
    private func response(_ body: String, retryAfter: String? = nil) -> NotificationResponse {
        NotificationResponse(status: 400, retryAfter: retryAfter, body: Array(body.utf8))
    }

    @Test("Reason and timestamp are read from the body")
    func body() {
        let response = response(#"{"reason":"Unregistered","timestamp":1790000000000}"#)
        #expect(response.reason?.rawValue == "Unregistered")
        #expect(response.timestamp == 1_790_000_000_000)
    }

    @Test(
        "A body that isn't Apple's leaves the status to judge by",
        arguments: [
            "", "<html>bad gateway</html>", "{", "[]", #"{"reason":7}"#, #"{"reason":"two words"}"#,
            #"{"reason":""# + String(repeating: "x", count: 65) + #""}"#,
            #"{"reason":"Late"}"# + String(repeating: " ", count: 5000),
        ])
    func foreignBody(body: String) {
        #expect(response(body).reason == nil)
        #expect(response(body).summary == "status 400")
    }

    @Test(
        "Hazard 60: Retry-After counts in seconds",
        arguments: [
            ("7", .seconds(7)), ("0", .zero), ("99999999", .seconds(99_999_999)),
            ("99999999999999999999", .seconds(Int64.max)), ("-5", nil), ("+5", nil), ("7.5", nil),
            ("abc", nil), ("", nil),
        ] as [(String, Duration?)])
    func retryAfterSeconds(text: String, expected: Duration?) {
        #expect(response("", retryAfter: text).retryDelay(wallSeconds: 1_792_566_000) == expected)
    }

    @Test(
        "Hazard 60: Retry-After counts as a date, by the answer's own clock where it tells it",
        arguments: [
            ("Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:27:00 GMT", .seconds(60)),
            ("Wed, 21 Oct 2026 07:28:00 GMT", nil, .seconds(90)),
            ("Wed, 21 Oct 2026 07:28:00 GMT", "yesterday", .seconds(90)),
            ("Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:29:00 GMT", .zero),
            ("Wed, 21 Oct 2026 07:28:61 GMT", nil, nil),
        ] as [(String, String?, Duration?)])
    func retryAfterDate(text: String, date: String?, expected: Duration?) {
        let response = NotificationResponse(status: 503, retryAfter: text, date: date, body: [])
        // 07:26:30 of that day.
        #expect(response.retryDelay(wallSeconds: 1_792_567_590) == expected)
    }

    @Test("An answer tells when it was made")
    func answeredAt() {
        let response = NotificationResponse(
            status: 200, retryAfter: nil, date: "Wed, 21 Oct 2026 07:28:00 GMT", body: [])
        #expect(response.answeredAt == 1_792_567_680)
    }

    @Test("A documented reason is its own metric label, anything else is other")
    func labels() {
        #expect(Reason.label("BadDeviceToken") == "BadDeviceToken")
        #expect(Reason.label("BadEnvironmentKeyIdInToken") == "BadEnvironmentKeyIdInToken")
        #expect(Reason.label("x\"y") == "other")
    }
}
