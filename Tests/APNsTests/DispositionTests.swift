import APNs
import Testing

@Suite("Disposition of an answer")
struct DispositionTests {
    private func of(_ status: Int, _ reason: String? = nil) -> Disposition {
        .of(NotificationResponse(status: status, reason: reason.map { Reason(rawValue: $0) }))
    }

    @Test("200 is sent, and the device was seen")
    func accepted() {
        #expect(of(200).delivery == .sent)
        #expect(of(200).device == .seen)
    }

    @Test("BadDeviceToken fails the delivery and makes the device suspect")
    func badDeviceToken() {
        #expect(of(400, "BadDeviceToken").delivery == .failed)
        #expect(of(400, "BadDeviceToken").device == .suspect)
    }

    @Test(
        "Other refusals of the request fail the delivery and leave the device alone",
        arguments: [
            (400, "BadCollapseId"), (400, "BadExpirationDate"), (400, "BadMessageId"), (400, "BadPriority"),
            (400, "BadTopic"), (400, "DuplicateHeaders"), (400, "InvalidPushType"), (400, "MissingTopic"),
            (400, "PayloadEmpty"), (400, "TopicDisallowed"), (404, "BadPath"), (405, "MethodNotAllowed"),
            (413, "PayloadTooLarge"), (400, "SomethingNew2027"), (418, "SomethingNew2027"),
        ])
    func refused(status: Int, reason: String) {
        #expect(of(status, reason).delivery == .failed)
        #expect(of(status, reason).device == .none)
        #expect(of(status, reason).lane == .none)
    }

    @Test(
        "Every 403 leaves the delivery queued and uncharged, and pauses the lane",
        arguments: [
            "InvalidProviderToken", "ExpiredProviderToken", "BadEnvironmentKeyInToken",
            "BadEnvironmentKeyIdInToken", "Forbidden", "BadCertificate", "SomethingNew2027",
        ])
    func forbidden(reason: String) {
        #expect(of(403, reason).delivery == .deferred(charged: false))
        #expect(of(403, reason).lane == .pause)
        #expect(of(403, reason).device == .none)
    }

    @Test(
        "Overload and server faults defer the delivery",
        arguments: [
            (429, "TooManyRequests"), (429, "TooManyProviderTokenUpdates"), (500, "InternalServerError"),
            (503, "ServiceUnavailable"), (503, "Shutdown"), (502, "SomethingNew2027"), (599, ""),
        ])
    func overloaded(status: Int, reason: String) {
        #expect(of(status, reason).delivery == .deferred(charged: true))
        #expect(of(status, reason).device == .none)
    }

    @Test(
        "Hazard 51: a 410 is judged by the registration whatever its reason",
        arguments: ["Unregistered", "X"])
    func gone(reason: String) { #expect(of(410, reason).delivery == .judgedByRegistration) }

    @Test(
        "A connection that Apple finds idle or wants to end takes no more",
        arguments: [
            (400, "IdleTimeout"), (503, "Shutdown"),
        ])
    func retires(status: Int, reason: String) { #expect(of(status, reason).connection == .retire) }

    @Test(
        "Only an answer that deals with the delivery shows that connection and lane work",
        arguments: [
            (200, nil, true), (400, "BadDeviceToken", true), (410, "Unregistered", true),
            (413, "PayloadTooLarge", true), (429, "TooManyRequests", true), (400, "IdleTimeout", false),
            (403, "Forbidden", false), (500, nil, false), (503, "Shutdown", false),
        ] as [(Int, String?, Bool)])
    func proof(status: Int, reason: String?, isProof: Bool) {
        let response = NotificationResponse(status: status, reason: reason.map { Reason(rawValue: $0) })
        #expect(Disposition.provesConnection(response) == isProof)
    }

    @Test("What may have been processed is charged, what wasn't is not")
    func transport() {
        #expect(Disposition.of(.notProcessed).delivery == .deferred(charged: false))
        #expect(Disposition.of(.notProcessed).connection == .retire)
        #expect(Disposition.of(.lost).delivery == .deferred(charged: true))
        #expect(Disposition.of(.timedOut).delivery == .deferred(charged: true))
    }

    @Test(
        "Hazard 69: a 410 speaks of the moment it names, or of the moment of asking",
        arguments: [
            (1_790_000_000_000, 1_790_000_000_000), (nil, 1_790_000_100_000), (0, 1_790_000_100_000),
            (1_790_000_000, 1_790_000_100_000), (1_890_000_000_000, 1_790_000_100_000),
            (-5, 1_790_000_100_000), (Int64.max, 1_790_000_100_000),
        ] as [(Int64?, Int64)])
    func moment(timestamp: Int64?, expected: Int64) {
        #expect(Unregistration.moment(timestamp: timestamp, requestedAt: 1_790_000_100_000) == expected)
    }
}

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
        "Retry-After counts when it is a number of seconds",
        arguments: [
            ("7", Duration.seconds(7)), ("0", .zero), ("-5", nil), ("abc", nil), ("", nil),
            ("99999999999999999999", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil),
        ] as [(String, Duration?)])
    func retryAfter(text: String, expected: Duration?) {
        #expect(response("", retryAfter: text).retryAfter == expected)
    }

    @Test("A documented reason is its own metric label, anything else is other")
    func labels() {
        #expect(Reason.label("BadDeviceToken") == "BadDeviceToken")
        #expect(Reason.label("BadEnvironmentKeyIdInToken") == "BadEnvironmentKeyIdInToken")
        #expect(Reason.label("x\"y") == "other")
    }
}

@Suite("Retry schedule")
struct RetryScheduleTests {
    @Test(
        "The wait grows fourfold up to a quarter of an hour",
        arguments: [(1, 2), (2, 8), (3, 32), (4, 128), (5, 512), (6, 900), (7, 900), (Int.max, 900), (0, 2)])
    func growth(attempts: Int, seconds: Int) {
        #expect(RetrySchedule.delay(attempts: attempts, retryAfter: nil, jitter: 0) == .seconds(seconds))
    }

    @Test("Jitter takes off at most a half")
    func jitter() {
        #expect(RetrySchedule.delay(attempts: 3, retryAfter: nil, jitter: 1) == .seconds(16))
        #expect(RetrySchedule.delay(attempts: 3, retryAfter: nil, jitter: 0.5) == .seconds(24))
    }

    @Test(
        "Hazard 60: what a server asks for is kept between a second and an hour",
        arguments: [(0, 1), (1, 1), (42, 42), (99_999_999, 3600)])
    func retryAfter(asked: Int, seconds: Int) {
        let delay = RetrySchedule.delay(attempts: 1, retryAfter: .seconds(asked), jitter: 1)
        #expect(delay == .seconds(seconds))
    }
}
