import Foundation
import Spool
import TestSupport
import Testing

@Suite("Whatever the caller hands over")
struct SurroundingsTests {
    private let hook: Hook

    init() throws { hook = try Hook() }

    private func expectRung(_ outcome: Hook.Outcome) throws {
        #expect(outcome.ending == .exited(0))
        #expect(outcome.entries.count == 1)
        for entry in outcome.entries { _ = try SpoolEntry.decode(Array(entry.utf8)) }
    }

    @Test("An empty environment is enough")
    func emptyEnvironment() throws {
        try expectRung(try hook.run(wrapper: ["/usr/bin/env", "-i"]))
    }

    @Test("An environment that lies changes nothing")
    func lyingEnvironment() throws {
        let lies = [
            "LOGNAME=mallory", "USER=mallory", "HOME=/nonexistent", "POSIXLY_CORRECT=1", "TZ=:/dev/zero",
        ]
        let outcome = try hook.run(wrapper: ["/usr/bin/env"] + lies)
        try expectRung(outcome)
        #expect(outcome.entries.first?.contains(#""user":"alice""#) == true)
    }

    @Test(
        "Closed descriptors don't matter, and no line is written into an entry in their place",
        arguments: ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
    func closedDescriptors(closed: String) throws {
        // A list that can't be used makes the hook say something before it writes the entry.
        try hook.directory.write("list", "nonsense")
        let outcome = try hook.run(
            ["--uidlist", hook.directory.file("list"), "alice"],
            prelude: "exec 2>>'\(hook.log)'; closed() { \"$@\" \(closed); }; closed")
        try expectRung(outcome)
        let line = "spool-enqueue: --uidlist: no version 3 first line; this mail rings without a hint"
        #expect(outcome.log == (closed.contains("2>&-") ? [] : [line]))
    }

    @Test("A standard input that can't be read rings all the same, and says why")
    func unreadableInput() throws {
        let outcome = try hook.run(prelude: "exec 2>>'\(hook.log)' </;")
        try expectRung(outcome)
        #expect(
            outcome.log == [
                "spool-enqueue: standard input: Is a directory; this mail rings with what was read"
            ])
    }

    @Test(
        "Signals are back to default, descriptors above 2 closed, and a piped standard error let go, before the mail is read"
    )
    func whileReading() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let script = #"exec 7</etc/passwd 9>/dev/null; exec env --ignore-signal --block-signal "$@""#
        process.arguments = ["-c", script, "bash", hook.program, "--spool", hook.spool, "alice"]
        let input = Pipe()
        let errors = Pipe()
        process.standardInput = input
        process.standardError = errors
        try process.run()
        // No mail has been written yet, and whoever waits for the end of standard error may go.
        #expect(errors.fileHandleForReading.availableData.isEmpty)
        // More than a pipe holds: when it is written, the hook is reading.
        try input.fileHandleForWriting.write(contentsOf: Data(count: 200_000))
        let files = "/proc/\(process.processIdentifier)"
        let open = try FileManager.default.contentsOfDirectory(atPath: "\(files)/fd")
        let status = try String(contentsOfFile: "\(files)/status", encoding: .utf8).split(separator: "\n")
        let streams = try ["1", "2"].map {
            try FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/fd/\($0)")
        }
        #expect(process.isRunning)
        try input.fileHandleForWriting.close()
        process.waitUntilExit()

        #expect(open.sorted() == ["0", "1", "2"])
        #expect(streams == ["/dev/null", "/dev/null"])
        #expect(status.contains("SigBlk:\t0000000000000000"))
        // SIGPIPE is 13, SIGTTIN 21, SIGTTOU 22, SIGXFSZ 25; 32 and 33 belong to the C library, which doesn't give them back.
        let ignored = try #require(status.first { $0.hasPrefix("SigIgn:\t") }?.dropFirst("SigIgn:\t".count))
        let mask = try #require(UInt64(ignored, radix: 16))
        #expect(mask & ~(3 << 31) == 1 << 12 | 1 << 20 | 1 << 21 | 1 << 24)
        #expect(process.terminationStatus == 0)
    }

    @Test("A line that nobody's standard error can take goes to syslog")
    func syslog() throws {
        // Nobody may listen here, so the sending is feigned.
        let pipe = "exec 2> >(cat >/dev/null);"
        let outcome = try hook.run(
            prelude: pipe, strace: ["-e", "trace=sendmsg", "-e", "inject=sendmsg:retval=0"],
            spool: "/nonexistent")
        #expect(outcome.ending == .exited(0))
        let sent = try #require(outcome.trace.first { $0.hasPrefix("sendmsg(") })
        #expect(sent.contains("<19>") && sent.contains("spool-enqueue: "))
        #expect(sent.contains("/nonexistent/new: cannot open this directory: No such file or directory"))
        #expect(sent.contains("/dev/log"))
    }

    @Test("Few descriptors and little memory are enough", arguments: ["ulimit -n 5;", "ulimit -v 30000;"])
    func tightLimits(limit: String) throws {
        try expectRung(try hook.run(prelude: "exec 2>>'\(hook.log)'; \(limit)"))
    }
}
