import HTTP2
import Posix
import Testing

@testable import APNsSimulatorCommand

@Suite("Scripted answers")
struct AnswerScriptTests {
    private func script(_ text: String) throws -> AnswerScript {
        var script = AnswerScript()
        try script.add(lines: text)
        return script
    }

    @Test("Without a rule every answer is 200")
    func noRule() throws {
        var script = try script("")
        #expect(script.next(for: "ab") == AnswerStep())
    }

    @Test("Steps are used up in order, by each device token for itself, and the last is repeated")
    func order() throws {
        var script = try script("* = 503, 429, 200")
        #expect((0..<5).map { _ in script.next(for: "aa").status } == [503, 429, 200, 200, 200])
        #expect(script.next(for: "bb").status == 503)
    }

    @Test("The longest prefix counts, wherever it stands")
    func longestPrefix() throws {
        var script = try script("* = 200\nAB = 410\nabcd = 500\nab0 = 503\n")
        #expect(
            ["ffff", "abff", "abcdff", "ab00"].map { script.next(for: $0).status } == [200, 410, 500, 503])
    }

    @Test("Empty lines and comments mean nothing")
    func comments() throws {
        var script = try script("# gone\n\n  # indented\n\nab=410\r\n")
        #expect(script.next(for: "ab").status == 410)
    }

    @Test("A step can set everything")
    func everything() throws {
        var script = try script("ab = 410 ExpiredToken timestamp=1790000000000 retry-after=60 delay=250")
        let step = AnswerStep(
            status: 410, reason: "ExpiredToken", timestamp: .at(WallTime(milliseconds: 1_790_000_000_000)),
            retryAfterSeconds: 60, delay: .milliseconds(250))
        #expect(script.next(for: "ab") == step)
    }

    @Test(
        "Times are told from now in several units",
        arguments: [
            ("now", 0), ("now-1h", 3_600), ("now-90s", 90), ("now-2m", 120), ("now-30d", 2_592_000),
            ("now+1h", -3_600),
        ])
    func timestamps(text: String, secondsAgo: Int64) throws {
        var script = try script("ab = 410 timestamp=\(text)")
        #expect(script.next(for: "ab").timestamp == .ago(.seconds(secondsAgo)))
    }

    @Test(
        "A line that can't be read is named with line, column and what was expected",
        arguments: [
            ("410", "2:4: expected TOKENPREFIX"), ("xyz = 410", "2:1: expected the first hexadecimal digits"),
            (" = 410", "2:1: expected the first hexadecimal digits"),
            ("ab cd = 410", "2:1: expected the first"),
            ("ab =", "2:5: expected a status"), ("ab = 410,", "2:10: expected a status"),
            ("ab = 99", "2:6: expected a status"), ("ab = 600", "2:6: expected a status"),
            ("ab = gone", "2:6: expected a status"), ("ab = 410 Gone Again", "2:15: expected a reason"),
            ("ab = 410 G-ne", "2:10: expected a reason"),
            ("ab = 200, 503 color=red", "2:15: expected timestamp"),
            ("ab = 503 delay=soon", "2:16: expected whole milliseconds"),
            ("ab = 503 delay=-1", "2:16: expected whole milliseconds"),
            ("ab = 503 retry-after=4294967296", "2:22: expected whole seconds"),
            ("ab = 410 timestamp=now-1y", "2:20: expected milliseconds"),
            ("ab = 410 timestamp=now-h", "2:20: expected milliseconds"),
            ("ab = 410 timestamp=later", "2:20: expected milliseconds"), ("AA = 503", "2:1: there is a rule"),
        ])
    func faults(line: String, expected: String) throws {
        let fault = try #require(throws: AnswerScriptFault.self) { try script("aa = 200\n\(line)\n") }
        #expect("\(fault)".hasPrefix(expected), "\(fault)")
    }

    @Test("An answer has Apple's form: reason and, with 410, a timestamp in milliseconds")
    func answers() {
        let now = WallTime(milliseconds: 1_790_000_000_000)
        func answer(_ step: AnswerStep) -> SimulatedAnswer { SimulatedAnswer(step, apnsID: "id", now: now) }
        let gone = answer(AnswerStep(status: 410, reason: "Unregistered", timestamp: .ago(.seconds(1))))
        #expect(gone.body == Array(#"{"reason":"Unregistered","timestamp":1789999999000}"#.utf8))
        let goneNow = answer(AnswerStep(status: 410, reason: "Unregistered"))
        #expect(goneNow.body == Array(#"{"reason":"Unregistered","timestamp":1790000000000}"#.utf8))
        let busy = answer(AnswerStep(status: 429, reason: "TooManyRequests", retryAfterSeconds: 9))
        #expect(busy.body == Array(#"{"reason":"TooManyRequests"}"#.utf8))
        #expect(busy.headers["retry-after"] == "9")
        let good = answer(AnswerStep())
        #expect(good.body.isEmpty)
        #expect(
            good.headers == [HeaderField(":status", "200"), HeaderField("apns-id", "id", indexing: .never)])
    }
}
