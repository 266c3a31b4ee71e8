import Foundation
import Posix
import Queue
import SQLite
import TestSupport
import Testing

/// `device add` makes the key and seals what an older version left plain, and one of its calls fails or is its last.
@Suite("Whatever call fails, or is the last, while device tokens are sealed")
struct SealingEveryCallTests {
    /// Calls that change files.
    private static let changing = [
        "write", "fchmod", "fsync", "link", "unlink", "pwrite64", "fdatasync", "ftruncate",
    ]

    private let bench: CommandBench
    private var queue: String { bench.queue }

    init() throws { bench = try CommandBench() }

    private func token(_ byte: UInt8) -> [UInt8] { (0..<32).map { (byte &+ $0) &* ($0 &* 37 &+ 11) ^ 0x5A } }

    /// Leaves a queue with four plain tokens and without a key; what is returned keeps its log from being emptied.
    private func makeOldQueue() throws -> Connection {
        for name in try bench.files() { unlink(bench.state + "/\(name)") }
        let store = try QueueStore.unlocked(path: queue, busyTimeout: .seconds(5))
        let old = try Connection(path: queue, busyTimeout: .seconds(5))
        for byte in UInt8(1)...4 {
            let device = DeviceRegistration(
                user: "alice", token: token(byte), topic: "com.example.Mail", environment: "production")
            _ = try store.register(device, now: .now)
            try old.run("UPDATE devices SET token = ?1 WHERE id = ?2", [.blob(token(byte)), Value(byte)])
        }
        try old.run("UPDATE devices SET token_hash = NULL, sealed_token = NULL")
        try old.run("UPDATE installation SET key_check = NULL")
        unlink(bench.state + "/doorbell.key")
        return old
    }

    /// Registers the fifth device.
    private func add(_ strace: [String] = []) throws -> RunningProgram.Result {
        let digits = token(5).map { String(format: "%02x", $0) }.joined()
        return try bench.run(
            ["device", "add", "--user", "alice"],
            wrapper: strace.isEmpty ? [] : ["/usr/bin/strace", "-qq"] + strace, input: digits)
    }

    @Test(
        "The next one finds all tokens, seals them and leaves no trace, whatever there was",
        arguments: changing,
        ["signal=KILL", "error=EIO", "error=ENOSPC"])
    func everyCall(name: String, fault: String) throws {
        let trace = bench.directory.file("trace")
        let untouched = try makeOldQueue()
        #expect(try add(["-o", trace, "-e", "trace=openat,\(name)"]).ending == .exited(0))
        withExtendedLifetime(untouched) {}
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
        let calls = TracedCall.all(in: lines, from: "doorbell.toml").filter { $0.name == name }
        #expect(!calls.isEmpty)
        // Of the many writes of the database each twentieth.
        for call in stride(from: 0, to: calls.count, by: calls.count > 40 ? 20 : 1).map({ calls[$0] }) {
            let old = try makeOldQueue()
            let ending = try add(["-o", trace, "-e", "trace=\(name)", "-e", call.injection(fault)]).ending
            let expected: [RunningProgram.Ending] = [
                .exited(0), .exited(73), .exited(74), .exited(75), .signalled(SIGKILL),
            ]
            #expect(expected.contains(ending), "\(call): \(ending)")
            #expect(try add().output == "5\n", "after \(call)")
            try expectSealed("after \(call)")
            withExtendedLifetime(old) {}
        }
    }

    @Test("The key is on the disk under its name before anything is sealed with it")
    func order() throws {
        let trace = bench.directory.file("trace")
        let old = try makeOldQueue()
        #expect(
            try add(["-y", "-o", trace, "-e", "trace=write,fsync,link,fdatasync,pwrite64"]).ending
                == .exited(0))
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        let order = ["write(", "fsync(", "link(", "fsync(", "pwrite64("]
        let subjects = [".tmp>", ".tmp>", "doorbell.key\")", "/state>)", "doorbell.db-wal>"]
        let places = zip(order, subjects).map { call, subject in
            lines.firstIndex { $0.hasPrefix(call) && $0.contains(subject) } ?? .max
        }
        #expect(places == places.sorted() && Set(places).count == 5, "\(lines)")
        withExtendedLifetime(old) {}
    }

    private func expectSealed(_ when: Comment) throws {
        let devices = try QueueStore.unlocked(path: queue, busyTimeout: .seconds(5)).devices()
        #expect(devices.map(\.token) == (UInt8(1)...5).map(token), when)
        for name in try bench.files() where name.hasPrefix("doorbell.db") {
            let data = try Data(contentsOf: URL(fileURLWithPath: bench.state + "/\(name)"))
            for byte in UInt8(1)...5 { #expect(data.range(of: Data(token(byte)[2..<10])) == nil, when) }
        }
    }
}
