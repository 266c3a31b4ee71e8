import Foundation
import Posix
import Queue
import SQLite
import TestSupport
import Testing

/// `--once` sends one wake, and one of its calls fails or is its last.
@Suite("Whatever call of dispatch fails, or is its last")
struct EveryCallTests {
    /// Calls that change nothing outside: dying before one is dying before the next that does.
    private static let looking = [
        "openat", "read", "pread64", "close", "newfstatat", "lseek", "poll", "fcntl", "flock", "socket",
        "getsockopt", "setsockopt",
    ]
    /// Calls that change files or reach Apple.
    private static let changing = [
        "write", "pwrite64", "ftruncate", "fdatasync", "fchmod", "fchown", "mknodat", "rename", "connect",
    ]

    private let installation: Installation
    private let queue: TestQueue
    private var trace: String { installation.directory.file("trace") }

    init() throws {
        installation = try Installation()
        queue = try TestQueue(installation)
        try queue.register(0xA1)
    }

    private func dispatch(_ strace: [String]) throws -> RunningProgram.Result {
        // Each makes them anew.
        for name in ["dispatch.lock", "dispatch.wake", "dispatch.status", "provider-token.json"] {
            unlink(installation.directory.file("state/\(name)"))
        }
        let dispatch = [try BuiltProgram.path("dispatch"), "--config", installation.configuration, "--once"]
        // Only the main thread: the one that looks names up owns nothing.
        let options = ["-qq", "-o", trace, "-E", "ASAN_OPTIONS=detect_leaks=0"] + strace
        return try RunningProgram.run(
            "/usr/bin/strace", options + dispatch, environment: installation.environment)
    }

    private func calls(_ name: String) throws -> [TracedCall] {
        try queue.insert()
        let traced = (Self.looking + Self.changing).joined(separator: ",")
        #expect(try dispatch(["-e", "trace=\(traced)"]).ending == .exited(0))
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
        let calls = TracedCall.all(in: lines, from: "doorbell.toml").filter { $0.name == name }
        #expect(!calls.isEmpty)
        return calls
    }

    /// Disturbs one call, and checks that the next dispatch does what is left, with the same request.
    private func disturb(_ call: TracedCall, _ fault: String) throws -> RunningProgram.Ending {
        let before = try queue.ended(.sent)
        let requestsBefore = installation.apple.requests.count
        try queue.insert(first: UInt32(before) + 1)
        let ending = try dispatch(["-e", "trace=\(call.name)", "-e", call.injection(fault)]).ending

        try makeDue()
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0), "after \(call)")
        #expect(try queue.ended(.sent) == before + 1, "after \(call)")
        #expect(
            try queue.store.counts(now: .now).ends.reduce(0) { $0 + $1.count } == before + 1, "after \(call)")
        let requests = try installation.apple.waitForLastRequests(requestsBefore + 1)
            .dropFirst(requestsBefore)
        #expect((1...2).contains(requests.count), "after \(call)")
        for name in [":path", "apns-id", "apns-collapse-id", "apns-expiration"] {
            #expect(Set(requests.map { $0.header(name) }).count == 1, "after \(call)")
        }
        return ending
    }

    /// What was deferred needn't be waited for.
    private func makeDue() throws {
        let queue = try Connection(path: installation.queue, busyTimeout: .seconds(5))
        try queue.run(
            "UPDATE deliveries SET next_attempt_at = ?1 WHERE ended_at IS NULL",
            [.integer(WallTime.now.seconds * 1_000)])
    }

    @Test(
        "A call that fails loses no wake, and dispatch ends with a code that has a meaning",
        arguments: looking + changing)
    func failing(name: String) throws {
        for call in try calls(name) {
            let ending = try disturb(call, "error=EIO")
            #expect([0, 69, 73, 74, 75, 77, 78].map { .exited($0) }.contains(ending), "\(call): \(ending)")
        }
    }

    @Test(
        "A disk that is full at any call loses no wake",
        arguments: ["write", "pwrite64", "ftruncate", "fdatasync", "mknodat", "rename"])
    func full(name: String) throws {
        // Of the many that write to the queue a part: after each that passes dispatch rests for a second.
        for (index, call) in try calls(name).enumerated() where name != "pwrite64" || index % 4 == 0 {
            let ending = try disturb(call, "error=ENOSPC")
            #expect([0, 73, 74, 75].map { .exited($0) }.contains(ending), "\(call): \(ending)")
        }
    }

    @Test("Killed at any call, it leaves what the next dispatch sends", arguments: changing)
    func killed(name: String) throws {
        for call in try calls(name) {
            // How long the write-ahead log is decides about the last few.
            let ending = try disturb(call, "signal=KILL")
            #expect([.signalled(SIGKILL), .exited(0)].contains(ending), "\(call): \(ending)")
        }
    }
}
