import Foundation
import Spool
import TestSupport
import Testing

@Suite("The hook is gone after five seconds")
struct DeadlineTests {
    private let hook: Hook

    init() throws { hook = try Hook() }

    @Test(
        "Standard input that never ends rings with what was read in time",
        arguments: [("Message-ID: <x@y>\n\nbody", "<x@y>"), ("", "")])
    func endlessInput(begin: String, messageID: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: hook.program)
        process.arguments = ["--spool", hook.spool, "alice"]
        let input = Pipe()
        process.standardInput = input
        try hook.directory.write("log", "")
        process.standardError = FileHandle(forWritingAtPath: hook.log)
        let start = Date()
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(begin.utf8))
        process.waitUntilExit()

        #expect(process.terminationStatus == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: hook.new)
        let content = try #require(FileManager.default.contents(atPath: "\(hook.new)/\(names.first ?? "")"))
        let entry = try SpoolEntry.decode(Array(content))
        // By then the files that ship have the hook killed.
        #expect(Double(entry.at) / 1000 - start.timeIntervalSince1970 < 3)
        #expect(String(decoding: entry.messageID, as: UTF8.self) == messageID)
        #expect(
            try String(contentsOfFile: hook.log, encoding: .utf8)
                == "spool-enqueue: standard input did not end in time; this mail rings with what was read\n")
    }

    @Test("A flood without an end is left after the same time")
    func flood() throws {
        let script = #"yes | "$@" 2>/dev/null; echo "${PIPESTATUS[1]}""#
        let result = try RunningProgram.run(
            "/bin/bash", ["-c", script, "bash", hook.program, "--spool", hook.spool, "alice"], within: 6)
        #expect(result.output == "0\n")
    }

    private let hang = ["-e", "inject=fsync:delay_enter=5500000:when=1"]

    @Test("A disk that hangs is left after five seconds, even with signals blocked and ignored")
    func hangingDisk() throws {
        let wrapper = ["/usr/bin/env", "--block-signal", "--ignore-signal"]
        let outcome = try hook.run(wrapper: wrapper, strace: hang)
        #expect(outcome.ending == .exited(0))
        #expect(outcome.log == ["spool-enqueue: time is up; this mail may not ring"])
        #expect(outcome.entries == [])
        #expect(outcome.temporaries == [])
    }

    @Test("With --strict a disk that hangs gives 75")
    func hangingDiskStrict() throws {
        #expect(try hook.run(["--strict", "alice"], strace: hang).ending == .exited(75))
    }
}
