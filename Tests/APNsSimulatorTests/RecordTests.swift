import HTTP2
import JSON
import Posix
import TLS
import Testing

@testable import APNsSimulatorCommand

@Suite("The record of a request")
struct RecordTests {
    private func record(
        _ outcome: Record.Outcome? = nil, _ change: (PushRequest) -> PushRequest = { $0 }
    ) throws -> (Record, JSONValue) {
        let provider = try Provider()
        let request = change(try provider.request(issuedAt: 1_790_000_000))
        let now = WallTime(milliseconds: 1_790_000_000_123)
        let examination = RequestExamination(
            key: try provider.key.publicKey, keyID: "SIMULATOR1", teamID: "SIMULATEAM")
        let examined = examination.examine(request, now: now)
        let answer: SimulatedAnswer =
            switch examined.verdict {
            case .accepted: SimulatedAnswer(AnswerStep(), apnsID: "id", now: now)
            case .refused(let reason): SimulatedAnswer(reason, apnsID: "id", now: now)
            }
        let record = Record(
            connection: 2, stream: 7, openStreams: 3, at: now, request: request,
            providerToken: examined.providerToken, apnsID: "id", outcome: outcome ?? .answered(answer))
        return (record, try JSONParser.parse(record.line))
    }

    @Test("A record tells where, when, what and how it was answered")
    func whole() throws {
        let (record, json) = try record()
        #expect(record.line.last == UInt8(ascii: "\n"))
        #expect(json["event"] == .string("request"))
        #expect(json["at"] == .integer(1_790_000_000_123))
        #expect(json["connection"] == .integer(2))
        #expect(json["stream"] == .integer(7))
        #expect(json["streams_open"] == .integer(3))
        #expect(json["body"] == .string(#"{"aps":{"alert":"New mail"}}"#))
        #expect(json["status"] == .integer(200))
        #expect(json["reason"] == .null)
        #expect(json["apns_id"] == .string("id"))
    }

    @Test("A request without an answer has no status, and tells how it was reset")
    func unanswered() throws {
        let (_, ignored) = try record(.ignored)
        #expect(ignored["status"] == .null)
        #expect(ignored["reason"] == .null)
        #expect(ignored["reset"] == nil)
        let (_, reset) = try record(.reset(.refusedStream))
        #expect(reset["status"] == .null)
        #expect(reset["apns_id"] == .string("id"))
        #expect(reset["reset"] == .string("REFUSED_STREAM"))
    }

    @Test("What an answer says of the device's end is recorded, and how long it was held back")
    func answers() throws {
        func json(_ step: AnswerStep) throws -> JSONValue {
            let answer = SimulatedAnswer(step, apnsID: "id", now: WallTime(milliseconds: 7_000))
            return try record(.answered(answer)).1
        }
        var gone = AnswerStep(status: 410, reason: "Unregistered", timestamp: .fromNow(.seconds(-2)))
        #expect(try json(gone)["timestamp"] == .integer(5_000))
        #expect(try json(gone)["delay"] == nil)
        gone.body = .html
        gone.delay = .milliseconds(20)
        #expect(try json(gone)["timestamp"] == nil)
        #expect(try json(gone)["delay"] == .integer(20))
    }

    @Test(
        "What happens to a connection has lines of its own",
        arguments: [
            (.connected(nil), #"{"event":"connected","at":7,"connection":3,"script":null}"#),
            (
                .connected(ConnectionScript(steps: [.act(.streams(5)), .treat(.silence, .forEver)])),
                #"{"event":"connected","at":7,"connection":3,"script":"streams 5, silence"}"#
            ),
            (
                .began(.act(.goAway(.init(last: .stream(41), data: #"{"reason":"Shutdown"}"#)))),
                #"{"event":"goaway","at":7,"connection":3,"step":"goaway last=41 data={\"reason\":\"Shutdown\"}"}"#
            ),
            (
                .unanswered(stream: 9, .cancel),
                #"{"event":"unanswered","at":7,"connection":3,"stream":9,"code":"CANCEL"}"#
            ),
            (
                .closed(bySimulator: true, unanswered: [1, 3]),
                #"{"event":"closed","at":7,"connection":3,"by":"simulator","unanswered":[1,3]}"#
            ),
        ] as [(ConnectionRecord.Event, String)])
    func connectionEvents(event: ConnectionRecord.Event, line: String) {
        let record = ConnectionRecord(connection: 3, at: WallTime(milliseconds: 7), event: event)
        #expect(String(decoding: record.line, as: UTF8.self) == line + "\n")
    }

    @Test("Header fields are shown as they came, in order, repeated ones too")
    func headers() throws {
        let (record, json) = try record {
            var request = $0
            request.headers.append(HeaderField("apns-topic", "again"))
            return request
        }
        let pairs = record.request.headers.map { field in
            JSONValue.array([
                .string(field.name),
                .string(field.name == "authorization" ? "bearer (verified)" : field.value),
            ])
        }
        #expect(json["headers"] == .array(pairs))
        #expect(json["reason"] == .string("DuplicateHeaders"))
    }

    @Test("The provider token is shown by its claims, never as it is")
    func providerToken() throws {
        let (record, json) = try record()
        let claims: [String: JSONValue] = [
            "alg": .string("ES256"), "kid": .string("SIMULATOR1"), "iss": .string("SIMULATEAM"),
            "iat": .integer(1_790_000_000),
        ]
        #expect(json["provider_token"] == .object(claims))
        let token = try #require(record.request.headers["authorization"]?.split(separator: ".").last)
        #expect(!String(decoding: record.line, as: UTF8.self).contains(token))
    }

    @Test("A provider token that doesn't hold is shown as refused, even where that isn't the reason")
    func refusedToken() throws {
        let (_, json) = try record { $0.with("authorization", "bearer secret").with(":method", "GET") }
        #expect(
            json["headers"]?.array?.contains(.array([.string("authorization"), .string("bearer (refused)")]))
                == true)
        #expect(json["provider_token"] == .null)
        #expect(json["reason"] == .string("MethodNotAllowed"))
    }

    @Test("A payload that isn't UTF-8 still makes a readable line")
    func binaryBody() throws {
        let (_, json) = try record {
            var request = $0
            request.body = [0xFF, 0x00, 0x22]
            return request
        }
        #expect(json["body"] == .string("\u{FFFD}\u{0}\""))
        #expect(json["reason"] == .string("PayloadEmpty"))
    }

    @Test("No more of a body is kept than shows that it is too large")
    func hugeBody() {
        var request = PushRequest(headers: [])
        for _ in 0..<1_000 { request.append([UInt8](repeating: 0x20, count: 1_000)) }
        #expect(request.body.count == PushRequest.keptBodyBytes)
    }
}
