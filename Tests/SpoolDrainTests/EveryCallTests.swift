import Foundation
import TestSupport
import Testing

/// `--once` makes a queue and drains a spool, and one of its calls fails or is its last.
@Suite("Whatever call of the drain fails, or is its last")
struct EveryCallTests {
    /// Calls that change nothing: dying before one is dying before the next that does.
    private static let looking = [
        "openat", "read", "pread64", "close", "newfstatat", "getdents64", "fcntl", "flock",
    ]
    /// Calls that change files or what others may do with them.
    private static let changing = [
        "write", "pwrite64", "ftruncate", "fdatasync", "fchmod", "fchown", "unlink", "unlinkat", "rename",
        "renameat2",
    ]

    private static let entries = ["1000", "1001", "1002"]

    /// A spool with entries, one that can't be used, and a temporary that somebody may be at; no queue yet.
    private func filled() throws -> DrainFixture {
        let fixture = try DrainFixture()
        for name in Self.entries { try fixture.publish(name) }
        try fixture.publish("damaged", "{}\n")
        try fixture.publish(".young")
        return fixture
    }

    private func calls(_ name: String) throws -> [TracedCall] {
        let fixture = try filled()
        let trace = fixture.directory.file("trace")
        let traced = (Self.looking + Self.changing).joined(separator: ",")
        #expect(try fixture.once(strace: ["-o", trace, "-e", "trace=\(traced)"]).ending == .exited(0))
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
        let calls = TracedCall.all(in: lines, from: "doorbell.toml").filter { $0.name == name }
        #expect(!calls.isEmpty)
        return calls
    }

    /// Disturbs one call, checks that nothing is lost, and that the next drain does what is left.
    private func disturb(_ call: TracedCall, _ fault: String) throws -> RunningProgram.Ending {
        let fixture = try filled()
        let ending = try fixture.once(strace: [
            "-o", "/dev/null", "-e", "trace=\(call.name)", "-e", call.injection(fault),
        ]).ending

        let left = Set(try fixture.names(in: "spool/new"))
        // Without tables nothing is committed.
        let committed = Set((try? fixture.rows()) ?? [])
        #expect(left.union(committed).isSuperset(of: Self.entries), "lost by \(call)")
        #expect(try left.contains("damaged") || fixture.corrupt() == ["damaged"], "lost by \(call)")

        #expect(try fixture.once().ending == .exited(0), "after \(call)")
        #expect(try fixture.rows().sorted() == Self.entries, "after \(call)")
        #expect(try fixture.names(in: "spool/new") == [".young"], "after \(call)")
        #expect(try fixture.corrupt() == ["damaged"], "after \(call)")
        return ending
    }

    @Test(
        "A call that fails loses nothing, and the drain ends with a code that has a meaning",
        arguments: looking + changing)
    func failing(name: String) throws {
        for call in try calls(name) {
            let ending = try disturb(call, "error=EIO")
            #expect([0, 69, 73, 74, 75, 77, 78].map { .exited($0) }.contains(ending), "\(call): \(ending)")
        }
    }

    @Test(
        "A disk that is full at any call loses nothing",
        arguments: ["write", "pwrite64", "ftruncate", "fdatasync", "renameat2", "rename"])
    func full(name: String) throws {
        // Of the many that write to the queue a part: after each that passes the drain waits for two seconds.
        for (index, call) in try calls(name).enumerated() where name != "pwrite64" || index % 8 == 0 {
            let ending = try disturb(call, "error=ENOSPC")
            #expect([0, 73, 74, 75].map { .exited($0) }.contains(ending), "\(call): \(ending)")
        }
    }

    @Test("Killed at any call, it leaves what the next drain repairs", arguments: changing)
    func killed(name: String) throws {
        for call in try calls(name) {
            #expect(try disturb(call, "signal=KILL") == .signalled(SIGKILL), "\(call)")
        }
    }
}
