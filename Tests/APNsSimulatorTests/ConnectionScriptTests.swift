import Foundation
import HTTP2
import Testing

@testable import APNsSimulatorCommand

@Suite("Connection scripts")
struct ConnectionScriptTests {
    private func script(_ line: String, of connection: Int = 1) throws -> ConnectionScript? {
        var script = Script()
        try script.add(lines: line)
        return script.connections.script(of: connection)
    }

    @Test("Every step is read")
    func steps() throws {
        let text = """
            streams 3, wait 250ms, answer 50, answer 10s, refuse 2, reset 1 code=PROTOCOL_ERROR, reset 1 code=77,
            ignore 5, silence 1m, stop-reading 2h, goaway last=all, goaway last=none code=ENHANCE_YOUR_CALM,
            goaway last=41 code=77 data={"reason":"Shutdown"}, answer 4 with 429 TooManyRequests delay=20, close
            """.replacing("\n", with: "")
        #expect(
            try script("connection 1 = \(text)")?.steps == [
                .act(.streams(3)), .treat(.wait, .span(.milliseconds(250))),
                .treat(.answer(nil), .requests(50)), .treat(.answer(nil), .span(.seconds(10))),
                .treat(.reset(.refusedStream), .requests(2)),
                .treat(.reset(ErrorCode(rawValue: 1)), .requests(1)),
                .treat(.reset(ErrorCode(rawValue: 77)), .requests(1)),
                .treat(.ignore, .requests(5)), .treat(.silence, .span(.seconds(60))),
                .treat(.stopReading, .span(.seconds(7_200))),
                .act(.goAway(.init(last: .all))),
                .act(.goAway(.init(last: .none, code: .enhanceYourCalm))),
                .act(
                    .goAway(
                        .init(
                            last: .stream(41), code: ErrorCode(rawValue: 77), data: #"{"reason":"Shutdown"}"#)
                    )),
                .treat(
                    .answer(
                        AnswerStep(status: 429, reason: "TooManyRequests", delay: .milliseconds(20))),
                    .requests(4)), .act(.close),
            ])
    }

    @Test(
        "A script's text reads as the same script",
        arguments: [
            "reject", "hang", "silence", "stop-reading", "ignore", "refuse", "abort", "goaway", "reset 3",
            "reset 3 code=CANCEL", "reset code=1234", "answer with 410 ExpiredToken timestamp=1 body=split",
            "answer 3, refuse 2, wait 10ms, streams 0, goaway last=7 code=INTERNAL_ERROR data=x, close",
            "answer 500ms with 200 date=now-3600000ms, silence 1ms, answer",
        ])
    func text(steps: String) throws {
        let first = try #require(try script("connection 1 = \(steps)"))
        #expect(try script("connection 1 = \(first)") == first)
        #expect(try script("connection 1 =   \(steps.replacing(",", with: " ,"))  ") == first)
    }

    @Test("A connection's own script comes before the one for all, wherever it stands")
    func numbers() throws {
        let text =
            "connection * = close\nconnection 2 = refuse\nconnection 4-6 = silence\nconnection 9-* = hang"
        let found = try (1...10).map { try script(text, of: $0)?.description }
        #expect(
            found == [
                "close", "refuse", "close", "silence", "silence", "silence", "close", "close", "hang", "hang",
            ])
        #expect(try script("connection 2 = refuse", of: 1) == nil)
    }

    @Test(
        "A line that can't be read is named with line, column and what was expected",
        arguments: [
            ("connection 1", "2:13: expected connection NUMBERS = STEP"),
            ("connection = close", "2:1: expected connection NUMBERS"),
            ("connection 1 2 = close", "2:14: expected connection NUMBERS"),
            ("connection 0 = close", "2:12: expected connections counted from 1"),
            ("connection 5-3 = close", "2:12: expected connections counted from 1"),
            ("connection 1-2-3 = close", "2:12: expected connections counted from 1"),
            ("connection -3 = close", "2:12: expected connections counted from 1"),
            ("connection one = close", "2:12: expected connections counted from 1"),
            ("connection 7-9 = close", "2:12: there is a script for this connection already"),
            ("connection * = close", "2:12: there is a script for this connection already"),
            ("connection 1 =", "2:15: expected a step: answer, refuse"),
            ("connection 1 = answer 1,", "2:25: expected a step"),
            ("connection 1 = dance", "2:16: expected a step"),
            ("connection 1 = answer 5x", "2:23: expected a number of requests, or a time with its unit"),
            ("connection 1 = answer 5 6", "2:25: answer has no place for this"),
            ("connection 1 = answer 5 with 99", "2:30: expected a status"),
            ("connection 1 = answer with", "2:27: expected a status"),
            ("connection 1 = wait", "2:20: expected a time with its unit"),
            ("connection 1 = silence 5", "2:24: expected a time with its unit"),
            ("connection 1 = streams", "2:23: expected a number of streams"),
            ("connection 1 = streams many", "2:24: expected a number of streams"),
            ("connection 1 = reset code=ODD", "2:27: expected an error code"),
            ("connection 1 = refuse code=CANCEL", "2:23: refuse has no place for this"),
            ("connection 1 = goaway last=2", "2:28: expected all, none or the id of a stream"),
            ("connection 1 = goaway last=-1", "2:28: expected all, none or the id of a stream"),
            ("connection 1 = goaway Shutdown", "2:23: expected last, code or data"),
            ("connection 1 = close now", "2:22: close has no place for this"),
            ("connection 1 = close, answer", "2:23: nothing can come after close"),
            ("connection 1 = answer, close", "2:24: nothing can come after answer"),
            ("connection 1 = answer 1, reject", "2:26: reject must be the only step"),
            ("connection 1 = hang, close", "2:22: nothing can come after hang"),
        ])
    func faults(line: String, expected: String) throws {
        let fault = try #require(throws: ScriptFault.self) {
            try script(
                line.contains("*") ? "connection * = close\n\(line)\n" : "connection 8 = close\n\(line)\n")
        }
        #expect("\(fault)".hasPrefix(expected), "\(fault)")
    }

    @Test("Every script in the guide to outages can be read")
    func guide() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appendingPathComponent("docs/outage-rehearsal.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }
            .map(\.element).filter { $0.contains(" = ") }
        #expect(blocks.count > 5)
        for block in blocks {
            var script = Script()
            #expect(throws: Never.self) { try script.add(lines: block) }
        }
    }
}
