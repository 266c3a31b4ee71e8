import HTTP2
import Posix
import TLS
import Testing

@testable import APNsSimulatorCommand
@testable import TLS

@Suite("What Apple takes and refuses")
struct RequestExaminationTests {
    private let provider: Provider
    private let examination: RequestExamination
    private let good: PushRequest
    private let now = WallTime(milliseconds: 1_790_000_000_000)

    init() throws {
        provider = try Provider()
        examination = RequestExamination(
            key: try provider.key.publicKey, keyID: "SIMULATOR1", teamID: "SIMULATEAM")
        good = try provider.request(issuedAt: 1_790_000_000)
    }

    private func verdict(_ request: PushRequest) -> RequestExamination.Verdict {
        examination.examine(request, now: now).verdict
    }

    private func background(_ body: String = #"{"aps":{"content-available":1}}"#) -> PushRequest {
        good.with("apns-push-type", "background").with("apns-priority", "5").with(body: body)
    }

    @Test("A good request is accepted")
    func accepted() {
        #expect(verdict(good) == .accepted(deviceToken: Provider.deviceToken))
        #expect(verdict(background()) == .accepted(deviceToken: Provider.deviceToken))
    }

    // The six that matter most.

    @Test("A signature in DER form is InvalidProviderToken")
    func derSignature() throws {
        let claims = #"{"iss":"SIMULATEAM","iat":1790000000}"#
        let bearer = try provider.bearer(claims: claims) { key, message in
            try #require(ES256Signature.der(raw: try key.sign(message)))
        }
        #expect(verdict(good.with("authorization", bearer)) == .refused(.invalidProviderToken))
    }

    @Test("Hazard 50: An iat that is a string is InvalidProviderToken")
    func stringIssuedAt() throws {
        let bearer = try provider.bearer(claims: #"{"iss":"SIMULATEAM","iat":"1790000000"}"#)
        #expect(verdict(good.with("authorization", bearer)) == .refused(.invalidProviderToken))
    }

    @Test("A collapse id of 65 bytes is BadCollapseId, one of 64 isn't")
    func longCollapseID() {
        // 33 characters, but each of the first 32 has two bytes.
        let long = String(repeating: "é", count: 32) + "x"
        #expect(verdict(good.with("apns-collapse-id", long)) == .refused(.badCollapseID))
        #expect(
            verdict(good.with("apns-collapse-id", String(long.dropLast())))
                == .accepted(deviceToken: Provider.deviceToken))
    }

    @Test("Priority 10 with push type background is BadPriority")
    func backgroundPriority() {
        #expect(verdict(background().with("apns-priority", "10")) == .refused(.badPriority))
    }

    @Test("A payload of 4097 bytes is PayloadTooLarge, one of 4096 isn't")
    func largePayload() {
        func payload(_ count: Int) -> String {
            let empty = #"{"aps":{"alert":""}}"#
            return #"{"aps":{"alert":""# + String(repeating: "x", count: count - empty.utf8.count) + #""}}"#
        }
        #expect(verdict(good.with(body: payload(4_097))) == .refused(.payloadTooLarge))
        #expect(verdict(good.with(body: payload(4_096))) == .accepted(deviceToken: Provider.deviceToken))
    }

    @Test("A missing topic is MissingTopic")
    func missingTopic() {
        #expect(verdict(good.with("apns-topic", nil)) == .refused(.missingTopic))
    }

    // The rest of the table.

    @Test(
        "A field that is wrong or missing is refused with its own reason",
        arguments: [
            (":method", "GET", .methodNotAllowed), (":path", "/", .badPath),
            (":path", "/3/device", .badPath), (":path", "/2/device/\(Provider.deviceToken)", .badPath),
            (":path", "/3/device/\(Provider.deviceToken)/x", .badPath),
            (":path", "/3/device/", .missingDeviceToken),
            (":path", "/3/device/\(Provider.deviceToken.dropLast(2))", .badDeviceToken),
            (":path", "/3/device/\(Provider.deviceToken)0", .badDeviceToken),
            (":path", "/3/device/\(Provider.deviceToken.dropLast())g", .badDeviceToken),
            ("authorization", nil, .missingProviderToken), ("authorization", "", .invalidProviderToken),
            ("authorization", "basic abc", .invalidProviderToken),
            ("authorization", "bearer a.b", .invalidProviderToken),
            ("authorization", "bearer e30.e30.e30", .invalidProviderToken),
            ("apns-topic", "", .missingTopic), ("apns-topic", "com/example", .badTopic),
            ("apns-push-type", nil, .invalidPushType), ("apns-push-type", "", .invalidPushType),
            ("apns-push-type", "Alert", .invalidPushType),
            ("apns-push-type", "background", .badPriority), ("apns-priority", "", .badPriority),
            ("apns-priority", "7", .badPriority), ("apns-priority", "010", .badPriority),
            ("apns-expiration", "", .badExpirationDate), ("apns-expiration", "tomorrow", .badExpirationDate),
            ("apns-expiration", "-1", .badExpirationDate), ("apns-expiration", "+1", .badExpirationDate),
            ("apns-expiration", "1790000000000", .badExpirationDate),
            ("apns-id", "", .badMessageID), ("apns-id", "123", .badMessageID),
            ("apns-id", "123E4567-E89B-12D3-A456-426614174000", .badMessageID),
            ("apns-id", "123e4567e89b12d3a456426614174000", .badMessageID),
            ("apns-collapse-id", "", .badCollapseID),
        ] as [(String, String?, RefusalReason)])
    func fields(name: String, value: String?, reason: RefusalReason) {
        #expect(verdict(good.with(name, value)) == .refused(reason))
    }

    @Test(
        "A field that may be missing or have other values is accepted so",
        arguments: [
            ("apns-priority", nil), ("apns-priority", "5"), ("apns-priority", "1"),
            ("apns-expiration", nil), ("apns-expiration", "0"), ("apns-id", nil), ("apns-collapse-id", nil),
            (":path", "/3/device/" + String(repeating: "0F", count: 80)),
        ] as [(String, String?)])
    func allowed(name: String, value: String?) {
        guard case .accepted = verdict(good.with(name, value)) else {
            Issue.record("refused")
            return
        }
    }

    @Test("A field that comes twice is DuplicateHeaders", arguments: ["apns-topic", "apns-id", "user-agent"])
    func duplicates(name: String) {
        var request = good.with(name, good.headers[name] ?? "x")
        request.headers.append(HeaderField(name, "y"))
        #expect(verdict(request) == .refused(.duplicateHeaders))
    }

    @Test(
        "A payload without a readable aps dictionary is PayloadEmpty",
        arguments: ["", "{", "[]", "{}", #"{"aps":"New mail"}"#, #"{"aps":{"alert":"a"}} x"#, "\u{0}"])
    func unreadable(body: String) {
        #expect(verdict(good.with(body: body)) == .refused(.payloadEmpty))
    }

    @Test(
        "A payload that doesn't fit its push type is InvalidPushType",
        arguments: [
            ("alert", #"{"aps":{"content-available":1}}"#), ("alert", #"{"aps":{}}"#),
            ("background", #"{"aps":{}}"#), ("background", #"{"aps":{"content-available":"1"}}"#),
            ("background", #"{"aps":{"content-available":1,"alert":"a"}}"#),
            ("background", #"{"aps":{"content-available":1,"sound":"a"}}"#),
            ("background", #"{"aps":{"content-available":1,"badge":1}}"#),
        ])
    func content(type: String, body: String) {
        let request = type == "alert" ? good.with(body: body) : background(body)
        #expect(verdict(request) == .refused(.invalidPushType))
    }

    @Test("Where the key is for one topic, another is TopicDisallowed")
    func otherTopic() {
        var examination = examination
        examination.topic = "com.example.Other"
        #expect(examination.examine(good, now: now).verdict == .refused(.topicDisallowed))
    }

    @Test("Where the key is for one environment, the other's host is BadEnvironmentKeyInToken")
    func otherEnvironment() {
        var examination = examination
        examination.environment = .sandbox
        #expect(examination.examine(good, now: now).verdict == .refused(.badEnvironmentKey))
        let withPort = good.with(":authority", "api.push.apple.com:2197")
        #expect(examination.examine(withPort, now: now).verdict == .refused(.badEnvironmentKey))
        let sandbox = good.with(":authority", "api.sandbox.push.apple.com")
        #expect(
            examination.examine(sandbox, now: now).verdict == .accepted(deviceToken: Provider.deviceToken))
    }
}
