import HTTP2
import Posix
import Testing

@testable import APNsSimulatorCommand

@Suite("Scripted answers")
struct AnswerScriptTests {
    private func script(_ text: String) throws -> AnswerScript {
        var script = Script()
        try script.add(lines: text)
        return script.answers
    }

    @Test("Without a rule there is no answer")
    func noRule() throws {
        var script = try script("ab = 410")
        #expect(script.next(for: "cd") == nil)
    }

    @Test("Steps are used up in order, by each device token for itself, and the last is repeated")
    func order() throws {
        var script = try script("* = 503, 429, 200")
        #expect((0..<5).map { _ in script.next(for: "aa")?.status } == [503, 429, 200, 200, 200])
        #expect(script.next(for: "bb")?.status == 503)
    }

    @Test("The longest prefix counts, wherever it stands")
    func longestPrefix() throws {
        var script = try script("* = 200\nAB = 410\nabcd = 500\nab0 = 503\n")
        #expect(
            ["ffff", "abff", "abcdff", "ab00"].map { script.next(for: $0)?.status } == [200, 410, 500, 503])
    }

    @Test("Empty lines and comments mean nothing")
    func comments() throws {
        var script = try script("# gone\n\n  # indented\n\nab=410\r\n")
        #expect(script.next(for: "ab")?.status == 410)
    }

    @Test("A step can set everything")
    func everything() throws {
        let text =
            "410 ExpiredToken timestamp=1790000000000 retry-after=60 date=now-5s delay=250 body=html"
        var script = try script("ab = " + text)
        let step = AnswerStep(
            status: 410, reason: "ExpiredToken", timestamp: .at(WallTime(milliseconds: 1_790_000_000_000)),
            retryAfter: .seconds(60), date: .fromNow(.seconds(-5)), body: .html, delay: .milliseconds(250))
        #expect(script.next(for: "ab") == step)
        #expect("\(step)" == text)
    }

    @Test(
        "Times are told from now in several units",
        arguments: [
            ("now", 0), ("now-1h", -3_600_000), ("now-90s", -90_000), ("now-2m", -120_000),
            ("now-30d", -2_592_000_000), ("now+1h", 3_600_000), ("+1h", 3_600_000), ("-500ms", -500),
        ])
    func times(text: String, milliseconds: Int64) throws {
        var script = try script("ab = 410 timestamp=\(text) date=\(text) retry-after=\(text)")
        let next = script.next(for: "ab")
        let step = try #require(next)
        let time = ScriptedTime.fromNow(.milliseconds(milliseconds))
        #expect(step.timestamp == time)
        #expect(step.date == time)
        #expect(step.retryAfter == .at(time))
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
            ("ab = 200 date=", "2:15: expected milliseconds"),
            ("ab = 429 retry-after=soon", "2:22: expected milliseconds"),
            ("ab = 429 retry-after=", "2:22: expected whole seconds"),
            ("ab = 429 body=pdf", "2:15: expected json, split, none or html"),
        ])
    func faults(line: String, expected: String) throws {
        let fault = try #require(throws: ScriptFault.self) { try script("aa = 200\n\(line)\n") }
        #expect("\(fault)".hasPrefix(expected), "\(fault)")
    }
}
