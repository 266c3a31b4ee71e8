import Foundation
import HTTP2
import JSON
import Posix
import TestSupport
import Testing

@testable import APNsSimulatorCommand

@Suite("Scripted connections of the program")
struct ConnectionProgramTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func simulator(_ lines: String...) throws -> SimulatedApple {
        try SimulatedApple(in: directory, script: lines)
    }

    @Test("Each connection has its own script, and the others answer by the rules")
    func several() throws {
        let simulator = try simulator("connection 2 = answer with 429 TooManyProviderTokenUpdates", "* = 503")
        let first = try simulator.client()
        #expect(try simulator.status(for: first) == "503")
        let second = try simulator.client()
        #expect(try (0..<3).map { _ in try simulator.status(for: second) } == ["429", "429", "429"])
        #expect(try simulator.status(for: first) == "503")
    }

    @Test("What Apple would refuse is refused, whatever the script answers")
    func strict() throws {
        let simulator = try simulator("connection 1 = answer with 200")
        let client = try simulator.client()
        let bad = try client.submit(simulator.request().with("apns-topic", nil))
        #expect(try client.waitForStatus(bad) == "400")
    }

    @Test("The number of streams is set from the start, and up and down, and then isn't raised by a 200")
    func streams() throws {
        let simulator = try simulator("connection 1 = streams 7, answer 1, streams 2, streams 0, answer")
        let client = try simulator.client()
        #expect(try simulator.status(for: client) == "200")
        try client.wait { _ in client.streamLimits.last == 0 ? true : nil }
        #expect(client.streamLimits == [7, 2, 0])
    }

    @Test("Refused and reset requests come back with the code, and are recorded with it")
    func resets() throws {
        let simulator = try simulator("connection 1 = refuse 1, reset 1 code=CANCEL, answer")
        let client = try simulator.client()
        #expect(try client.waitForClose(client.submit(simulator.request())) == .refusedStream)
        #expect(try client.waitForClose(client.submit(simulator.request())) == .cancel)
        #expect(try simulator.status(for: client) == "200")
        let records = try simulator.waitForRequests(3).map(\.record)
        #expect(records.map { $0["reset"]?.string } == ["REFUSED_STREAM", "CANCEL", nil])
        #expect(records.map { $0["status"]?.integer } == [nil, nil, 200])
    }

    @Test("GOAWAY carries last stream, code and data, and the streams above it get no answer")
    func goAway() throws {
        let simulator = try simulator(
            "connection 1 = streams 9, answer 2, wait 100ms, goaway last=3 code=ENHANCE_YOUR_CALM data={\"reason\":\"X\"}, answer",
            "* = 200 delay=200")
        let client = try simulator.client()
        try client.wait { _ in client.streamLimits.isEmpty ? nil : true }
        let streams = try (0..<3).map { _ in try client.submit(simulator.request()) }
        let expected = HTTP2Event.goAway(
            lastStreamID: 3, code: .enhanceYourCalm, data: Array(#"{"reason":"X"}"#.utf8))
        try client.wait { $0.contains(expected) ? true : nil }
        #expect(try client.waitForClose(streams[2]) == .refusedStream)
        #expect(try streams[..<2].map { try client.waitForStatus($0) } == ["200", "200"])
        try simulator.program.waitForLine(
            containing: #""event":"goaway"#)
    }

    @Test("GOAWAYs without a number speak of all that was read, and of everything at first where told so")
    func fallingGoAways() throws {
        let simulator = try simulator("connection 1 = streams 9, goaway last=all, answer 1, goaway, answer")
        let client = try simulator.client()
        let stream = try client.submit(simulator.request())
        #expect(try client.waitForStatus(stream) == "200")
        func last(_ events: [HTTP2Event]) -> [Int32] {
            events.compactMap { if case .goAway(let last, .noError, []) = $0 { last } else { nil } }
        }
        try client.wait { last($0).count == 2 ? true : nil }
        #expect(last(client.events) == [.max, stream])
    }

    @Test("Requests that wait are treated by the step after it, in their order")
    func waiting() throws {
        let simulator = try simulator("connection 1 = streams 5, wait 200ms, refuse 1, answer")
        let client = try simulator.client()
        try client.wait { _ in client.streamLimits.isEmpty ? nil : true }
        let first = try client.submit(simulator.request())
        let second = try client.submit(simulator.request())
        #expect(try client.waitForClose(first) == .refusedStream)
        #expect(try client.waitForStatus(second) == "200")
    }

    @Test("A close comes after the answers that are ready, and its line names the requests that have none")
    func close() throws {
        let simulator = try simulator(
            "connection 1 = streams 5, ignore 1, answer 2, close",
            "\(Provider.deviceToken) = 200, 200 delay=3600000")
        let client = try simulator.client()
        try client.wait { _ in client.streamLimits.isEmpty ? nil : true }
        let streams = try (0..<3).map { _ in try client.submit(simulator.request()) }
        #expect(try client.waitForStatus(streams[1]) == "200")
        #expect(throws: TestClient.Silence.self) { try client.wait { _ in Bool?.none } }
        let line = try simulator.program.waitForLine(containing: #""event":"closed""#)
        let closed = try JSONParser.parse(Array(line.utf8))
        #expect(closed["by"] == .string("simulator"))
        #expect(closed["unanswered"] == .array([.integer(Int64(streams[0])), .integer(Int64(streams[2]))]))
    }

    @Test("An aborted connection ends by RST")
    func abort() throws {
        let simulator = try simulator("connection 1 = streams 5, answer 1, abort")
        let client = try simulator.client()
        try client.submit(simulator.request())
        let error = try #require(throws: (any Error).self) { try client.wait { _ in Bool?.none } }
        #expect("\(error)".contains("Connection reset by peer"))
    }

    @Test("A rejected connection ends before TLS, and the next is served")
    func reject() throws {
        let simulator = try simulator("connection 1 = reject")
        #expect(throws: (any Error).self) { try simulator.client() }
        let client = try simulator.client()
        #expect(try simulator.status(for: client) == "200")
        let first = try simulator.program.waitForLine(containing: #""event":"reject""#)
        #expect(first.contains(#""connection":1"#))
    }

    @Test("A request that the client gives up has a line that says so")
    func givenUp() throws {
        let simulator = try simulator("* = 200 delay=3600000")
        let client = try simulator.client()
        let stream = try client.submit(simulator.request())
        try client.wait { _ in client.streamLimits.isEmpty ? nil : true }
        try simulator.waitForRequests(1)
        try client.http2.reset(stream, code: .cancel)
        try client.http2.submitPing([1])
        try client.wait { $0.contains(.pingAcknowledged([1, 0, 0, 0, 0, 0, 0, 0])) ? true : nil }
        let line = try simulator.program.waitForLine(containing: #""event":"unanswered""#)
        #expect(line.contains(#""stream":1,"code":"CANCEL""#))
    }

    @Test("A body comes one byte to a frame where the script says so")
    func splitBody() throws {
        let simulator = try simulator("* = 410 timestamp=5 body=split")
        let client = try simulator.client()
        let stream = try client.submit(simulator.request())
        #expect(try client.waitForStatus(stream) == "410")
        let pieces = client.events.compactMap { if case .data(stream, let piece) = $0 { piece } else { nil } }
        #expect(pieces.allSatisfy { $0.count == 1 })
        #expect(
            String(decoding: pieces.joined(), as: UTF8.self) == #"{"reason":"Unregistered","timestamp":5}"#)
    }
}
