import APNs
import Testing

@Suite("Disposition of an answer")
struct DispositionTests {
    /// One row of the table; what isn't given has no effect.
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        var body: String
        let delivery: Disposition.DeliveryAction
        let device: Disposition.DeviceAction
        let lane: Disposition.LaneAction
        let connection: Disposition.ConnectionAction
        let providerToken: Disposition.ProviderTokenAction
        let isOurFault: Bool

        init(
            _ status: Int, _ reason: String, _ delivery: Disposition.DeliveryAction,
            device: Disposition.DeviceAction = .none, lane: Disposition.LaneAction = .none,
            connection: Disposition.ConnectionAction = .none,
            providerToken: Disposition.ProviderTokenAction = .none, isOurFault: Bool = false
        ) {
            self.status = status
            body = "{\"reason\":\"\(reason)\"}"
            self.delivery = delivery
            self.device = device
            self.lane = lane
            self.connection = connection
            self.providerToken = providerToken
            self.isOurFault = isOurFault
        }

        var testDescription: String { "\(status) \(body.prefix(60))" }

        var response: NotificationResponse {
            NotificationResponse(status: status, retryAfter: nil, body: Array(body.utf8))
        }

        func with(body: String) -> Row {
            var row = self
            row.body = body
            return row
        }
    }

    private static let uncharged = Disposition.DeliveryAction.deferred(charged: false)
    private static let charged = Disposition.DeliveryAction.deferred(charged: true)

    /// Every reason that Apple documents, with its status.
    static let documented = [
        Row(400, "BadCollapseId", .failed, isOurFault: true),
        Row(400, "BadDeviceToken", .failed, device: .suspected, lane: .doubted),
        Row(400, "BadExpirationDate", .failed, isOurFault: true),
        Row(400, "BadMessageId", .failed, isOurFault: true),
        Row(400, "BadPriority", .failed, isOurFault: true),
        Row(400, "BadTopic", uncharged, lane: .paused),
        Row(400, "DeviceTokenNotForTopic", .failed, device: .struck),
        Row(400, "DuplicateHeaders", .failed, isOurFault: true),
        Row(400, "IdleTimeout", uncharged, connection: .retired),
        Row(400, "InvalidPushType", .failed, isOurFault: true),
        Row(400, "MissingDeviceToken", .failed, isOurFault: true),
        Row(400, "MissingTopic", uncharged, lane: .paused),
        Row(400, "PayloadEmpty", .failed, isOurFault: true),
        Row(400, "TopicDisallowed", uncharged, lane: .paused),
        Row(403, "BadCertificate", uncharged, lane: .paused, connection: .retired),
        Row(403, "BadCertificateEnvironment", uncharged, lane: .paused, connection: .retired),
        Row(403, "BadEnvironmentKeyInToken", uncharged, lane: .paused, connection: .retired),
        Row(403, "BadEnvironmentKeyIdInToken", uncharged, lane: .paused, connection: .retired),
        Row(403, "ExpiredProviderToken", uncharged, connection: .retired, providerToken: .refused),
        Row(403, "Forbidden", uncharged, lane: .paused, connection: .retired),
        Row(
            403, "InvalidProviderToken", uncharged, lane: .paused, connection: .retired,
            providerToken: .refused),
        Row(403, "MissingProviderToken", uncharged, lane: .paused, connection: .retired),
        Row(403, "UnrelatedKeyIdInToken", uncharged, connection: .retired),
        Row(404, "BadPath", .failed, isOurFault: true),
        Row(405, "MethodNotAllowed", .failed, isOurFault: true),
        Row(410, "ExpiredToken", .judgedByRegistration),
        Row(410, "Unregistered", .judgedByRegistration),
        Row(413, "PayloadTooLarge", .failed, isOurFault: true),
        Row(429, "TooManyProviderTokenUpdates", uncharged, connection: .retired),
        Row(429, "TooManyRequests", charged, device: .throttled),
        Row(500, "InternalServerError", charged, lane: .strained, connection: .replaced),
        Row(503, "ServiceUnavailable", charged, lane: .strained, connection: .replaced),
        Row(503, "Shutdown", uncharged, connection: .retired),
    ]

    /// What a status means on its own.
    private static let undocumented = [
        Row(200, "SomethingNew2027", .sent, device: .seen),
        Row(400, "SomethingNew2027", .failed, isOurFault: true),
        Row(403, "SomethingNew2027", uncharged, lane: .paused, connection: .retired),
        Row(404, "SomethingNew2027", .failed, isOurFault: true),
        Row(410, "SomethingNew2027", .judgedByRegistration),
        Row(418, "SomethingNew2027", .failed, isOurFault: true),
        Row(429, "SomethingNew2027", charged, device: .throttled),
        Row(500, "SomethingNew2027", charged, lane: .strained, connection: .replaced),
        Row(503, "SomethingNew2027", charged, lane: .strained, connection: .replaced),
        Row(599, "SomethingNew2027", charged, lane: .strained, connection: .replaced),
        Row(204, "SomethingNew2027", charged, lane: .strained, connection: .replaced),
        Row(302, "SomethingNew2027", charged, lane: .strained, connection: .replaced),
        Row(0, "SomethingNew2027", charged, lane: .strained, connection: .replaced),
    ]

    /// Bodies that name no reason, or none that is looked at.
    private static let foreignBodies = [
        "", "<html><body>Bad Gateway</body></html>", "{\"reason\":", "[]", "{\"reason\":{}}",
        "{\"reason\":\"badDeviceToken\"}", "{\"reason\":\"Bad Device Token\"}",
        "{\"reason\":\"BadDeviceToken\",\"padding\":\"" + String(repeating: "x", count: 4096) + "\"}",
    ]

    /// Reasons that came with another status than theirs.
    private static let misplaced = [
        Row(400, "Unregistered", .failed, isOurFault: true),
        Row(400, "ExpiredProviderToken", .failed, isOurFault: true),
        Row(400, "TooManyRequests", .failed, isOurFault: true),
        Row(403, "BadDeviceToken", uncharged, lane: .paused, connection: .retired),
        Row(403, "Shutdown", uncharged, lane: .paused, connection: .retired),
        Row(404, "BadDeviceToken", .failed, isOurFault: true),
        Row(500, "Shutdown", charged, lane: .strained, connection: .replaced),
        Row(500, "BadDeviceToken", charged, lane: .strained, connection: .replaced),
    ]

    static let rows =
        documented + misplaced + undocumented
        + undocumented.flatMap { row in foreignBodies.map(row.with(body:)) }

    @Test(
        "Hazards 44, 51, 64 and 66: every answer has its row, whatever its reason and body",
        arguments: rows)
    func table(row: Row) {
        let disposition = Disposition.of(row.response)
        #expect(disposition.delivery == row.delivery)
        #expect(disposition.device == row.device)
        #expect(disposition.lane == row.lane)
        #expect(disposition.connection == row.connection)
        #expect(disposition.providerToken == row.providerToken)
        #expect(disposition.isOurFault == row.isOurFault)
    }

    @Test("The table names every reason that is documented")
    func complete() {
        #expect(Set(Self.documented.compactMap { $0.response.reason?.rawValue }) == Reason.documented)
    }

    @Test(
        "What may have been processed is charged, what wasn't is not; nothing else follows from it",
        arguments: Disposition.TransportFailure.allCases)
    func transport(failure: Disposition.TransportFailure) {
        let disposition = Disposition.of(failure)
        #expect(disposition.delivery == .deferred(charged: failure != .notProcessed))
        #expect(disposition.device == .none)
        #expect(disposition.lane == .none)
        #expect(disposition.connection == .none)
        #expect(disposition.providerToken == .none)
        #expect(!disposition.isOurFault)
    }

    @Test("Uncharged answers pause the lane or end the connection, so that none can come round for ever")
    func noCircle() {
        for row in Self.rows where row.delivery == Self.uncharged {
            #expect(row.lane == .paused || row.connection == .retired, "\(row.testDescription)")
        }
    }

    @Test(
        "Only an answer that deals with the delivery shows that connection and lane work",
        arguments: [
            (200, nil, true), (400, "BadDeviceToken", true), (410, "Unregistered", true),
            (413, "PayloadTooLarge", true), (429, "TooManyRequests", true), (400, "IdleTimeout", false),
            (400, "BadTopic", false), (403, "Forbidden", false), (403, "ExpiredProviderToken", false),
            (403, "UnrelatedKeyIdInToken", false), (429, "TooManyProviderTokenUpdates", false),
            (500, nil, false), (503, "Shutdown", false), (302, nil, false), (0, nil, false),
        ] as [(Int, String?, Bool)])
    func proof(status: Int, reason: String?, isProof: Bool) {
        let response = NotificationResponse(status: status, reason: reason.map { Reason(rawValue: $0) })
        #expect(Disposition.provesConnection(response) == isProof)
    }
}
