import Posix
import Testing

@testable import Reporting

struct LogTests {
    private func line(_ text: String, _ level: Log.Level = .info, at time: WallTime? = nil) -> String {
        String(decoding: Log.line(level, text, program: "spool-drain", process: 123, at: time), as: UTF8.self)
    }

    @Test("A line carries time, program, process and level")
    func line() {
        #expect(
            line("text", at: WallTime(milliseconds: 1_796_013_060_123))
                == "2026-11-30T04:31:00.123Z spool-drain[123] info: text\n")
    }

    @Test(
        "Under journald a line starts with its priority instead of the time",
        arguments: [(Log.Level.info, "<6>"), (.warning, "<4>"), (.error, "<3>")])
    func journal(level: Log.Level, prefix: String) {
        #expect(line("text", level) == "\(prefix)spool-drain[123] \(level.rawValue): text\n")
    }

    @Test("Whatever a text holds, it stays one line without control characters")
    func oneLine() {
        #expect(line("a\nb\u{1B}[31mc\r\u{7F}é") == "<6>spool-drain[123] info: a?b?[31mc??é\n")
    }

    @Test("A line never exceeds what a pipe takes in one piece")
    func bounded() {
        #expect(line(String(repeating: "x", count: 10_000)).utf8.count == 4096)
    }
}
