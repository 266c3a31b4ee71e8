import APNs
import HTTP2
import Posix
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("What shape an answer may have, against a scripted server")
struct AnswerShapeTests {
    private static func field(_ name: UInt8, _ value: String) -> [UInt8] {
        // A literal that no table keeps, its name from HPACK's own table (RFC 7541 section 6.2.2).
        (name < 15 ? [name] : [15, name - 15]) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    private static func status(_ code: Int) -> [UInt8] { field(8, "\(code)") }

    private static func frame(_ type: UInt8, _ flags: UInt8, _ payload: [UInt8]) -> [UInt8] {
        FrameScanner.Frame(type: type, flags: flags, stream: 1).bytes(payload)
    }

    /// What a server may send besides the plain answer, and what that is.
    private static let answers: [(frames: [[UInt8]], summary: String)] = [
        // Informational responses come first (RFC 9110 section 15.2).
        ([frame(1, 4, status(103)), frame(1, 4, status(100)), frame(1, 5, status(200))], "status 200"),
        // The body in pieces, an empty one among them, then trailers.
        (
            [
                frame(1, 4, status(410)), frame(0, 0, Array(#"{"reason":"Unreg"#.utf8)), frame(0, 0, []),
                frame(0, 0, Array(#"istered"}"#.utf8)), frame(1, 5, field(53, "60")),
            ], "Unregistered"
        ),
        // Whole, though its end isn't marked (RFC 9113 section 8.1).
        ([frame(1, 4, status(200)), frame(3, 0, [0, 0, 0, 0])], "status 200"),
        // A 200 has no body that could be missing.
        ([frame(1, 4, status(200)), frame(3, 0, [0, 0, 0, 2])], "status 200"),
        // Not whole.
        ([frame(1, 4, status(410)), frame(3, 0, [0, 0, 0, 2])], "connection lost"),
        ([frame(1, 4, status(103)), frame(3, 0, [0, 0, 0, 0])], "connection lost"),
        // Trailers before any answer, and no status at all.
        ([frame(1, 5, status(103))], "connection lost"),
        ([frame(1, 5, field(53, "60"))], "connection lost"),
    ]

    @Test("Whatever shape an answer has, it ends its request once", arguments: answers.indices)
    func shapes(index: Int) throws {
        let wire = try Wire { $0.requested = { _ in } }
        try wire.open()
        try wire.push(1...1)
        try wire.run { wire.apple.requests.count == 1 }
        for frame in Self.answers[index].frames {
            #expect(wire.answers.isEmpty)
            try wire.peer.send(frame)
            try wire.exchange()
        }
        #expect(wire.summaries == [Self.answers[index].summary: 1])
    }

    @Test("Status, date, Retry-After and reason reach the answer; trailers don't change it")
    func fields() throws {
        let wire = try Wire { $0.requested = { _ in } }
        try wire.open()
        try wire.push(1...1)
        try wire.run { wire.apple.requests.count == 1 }
        wire.apple.requests[0].answer(
            429, reason: "TooManyRequests",
            headers: [HeaderField("retry-after", "7"), HeaderField("date", "Sun, 06 Nov 1994 08:49:37 GMT")])
        try wire.run { wire.answers.count == 1 }
        let response = try #require(wire.answers.first?.answer.response)
        #expect(response.status == 429)
        #expect(response.reason == Reason(rawValue: "TooManyRequests"))
        #expect(response.retryDelay(wallSeconds: 0) == .seconds(7))
        #expect(response.answeredAt == 784_111_777)
    }

    @Test("A 200 counts also where its connection dies, or half a minute passes, before its end is marked")
    func acceptedAtOnce() throws {
        for dies in [true, false] {
            let wire = try Wire(streams: 10) { $0.requested = { _ in } }
            try wire.open()
            try wire.push(1...2)
            try wire.run { wire.apple.requests.count == 2 }
            try wire.peer.send(Self.frame(1, 4, Self.status(200)))
            try wire.exchange()
            #expect(wire.answers.isEmpty)
            if dies {
                try wire.peer.abort()
                try wire.run("the end") { wire.closings.count == 1 }
                #expect(wire.closings.map(\.isTrouble) == [false])
            } else {
                for _ in 1...4 {
                    try wire.pass(.milliseconds(7500))
                    try wire.exchange()
                }
            }
            #expect(wire.summary(1) == "status 200")
            #expect(wire.summary(2) == (dies ? "connection lost" : "no answer in time"))
        }
    }
}
