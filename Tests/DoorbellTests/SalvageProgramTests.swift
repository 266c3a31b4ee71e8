import Foundation
import Posix
import Queue
import SQLite
import TestSupport
import Testing

@Suite("doorbell queue check and salvage")
struct SalvageProgramTests {
    private let bench: CommandBench
    private var path: String { bench.queue }
    /// What the damaged queue's file holds.
    private let damaged: Data

    init() throws {
        bench = try CommandBench()
        damaged = try Self.damage(bench.queue)
    }

    /// Makes a queue with a device and 200 notices, of which the last page is damaged.
    private static func damage(_ path: String) throws -> Data {
        do {
            let store = try QueueStore.unlocked(path: path, busyTimeout: .seconds(5))
            let device = DeviceRegistration(
                user: "alice", token: [0xA1], topic: "com.example.Mail", environment: "production")
            _ = try store.register(device, now: .now)
            let notices = (0..<200).map {
                NewNotice(
                    ownerUID: 1000, spoolName: Array("\($0)".utf8), user: "alice", folder: "INBOX", uid: 0,
                    uidValidity: nil, uidHint: nil, filed: nil, messageID: "", at: .now)
            }
            _ = try store.insert(notices, now: .now)
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let end = bytes.count
        bytes.replaceSubrange(end - 4096..<end, with: Data(repeating: 0xEE, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: path))
        return bytes
    }

    private func doorbell(_ arguments: String...) throws -> RunningProgram.Result {
        try bench.run(arguments)
    }

    private func isKeptAside() throws -> Bool {
        let files = try bench.files()
        return try files.contains {
            try $0.hasPrefix("doorbell.db.damaged-") && $0.hasSuffix("Z")
                && Data(contentsOf: URL(fileURLWithPath: bench.state + "/\($0)")) == damaged
                && files.contains($0 + "-wal")
        }
    }

    @Test("Damage is found, told with what mends it, and nothing is changed by looking")
    func check() throws {
        let result = try doorbell("queue", "check")
        #expect(result.ending == .exited(74))
        #expect(!result.output.isEmpty)
        #expect(
            result.errors
                == "doorbell: \(path): is damaged; stop spool-drain and dispatch, then doorbell queue salvage\n"
        )
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
    }

    @Test("A salvage tells what is copied and lost by table, keeps the damaged file, and isn't repeated")
    func salvage() throws {
        let result = try doorbell("queue", "salvage")
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.hasPrefix("TABLE         COPIED  LOST\ninstallation  "))
        #expect(result.output.contains("\ndevices       1       0\n"))
        #expect(result.output.contains("\nthe damaged queue is \(path).damaged-2"))
        #expect(try isKeptAside())
        #expect(try doorbell("queue", "check").output == "the queue is sound\n")
        let again = try doorbell("queue", "salvage")
        #expect(again.ending == .exited(69))
        #expect(again.errors == "doorbell: \(path): is sound; there is nothing to salvage\n")
    }

    @Test("A salvage that can read nothing says that a backup is the way")
    func nothing() throws {
        try Data(repeating: 0xEE, count: 8192).write(to: URL(fileURLWithPath: path))
        let result = try doorbell("queue", "salvage")
        #expect(result.ending == .exited(0))
        #expect(
            result.output.hasSuffix(
                "\nnothing of it can be read: restore a backup before the daemons start\n"))
    }

    @Test("While a daemon runs a salvage is refused, and names it", arguments: ["drain", "dispatch"])
    func locked(daemon: String) throws {
        let lock = try LockFile(path: bench.state + "/\(daemon).lock")
        let result = try doorbell("queue", "salvage")
        #expect(result.ending == .exited(75))
        #expect(
            result.errors
                == "doorbell: \(bench.state)/\(daemon).lock is held by process \(getpid()); "
                + "stop spool-drain and dispatch first\n")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
        _ = consume lock
    }

    @Test("Where there is no queue there is nothing to look at", arguments: ["check", "salvage"])
    func missing(command: String) throws {
        for name in try bench.files() { unlink(bench.state + "/\(name)") }
        let result = try doorbell("queue", command)
        #expect(result.ending == .exited(69))
        #expect(result.errors.hasPrefix("doorbell: \(path): there is no queue yet"))
    }

    @Test("Without room for a second queue the damaged one stays where it is", Requires.root)
    func full() throws {
        let script = """
            cp "$1" "$1.kept"
            mount -t tmpfs -o mode=0770,size=\(damaged.count / 1024 + 40)k none "$(dirname "$1")" || exit 99
            cat >"$1" && shift && "$@"; code=$?
            ls "$(dirname "$0")"; exit $code
            """
        let result = try RunningProgram.run(
            "/usr/bin/unshare",
            [
                "--mount", "/bin/bash", "-c", script, path, path, try BuiltProgram.path("doorbell"),
                "--config", bench.configuration, "queue", "salvage",
            ], input: damaged)
        #expect(result.ending == .exited(74))
        #expect(result.errors.contains("no space left for the queue"))
        #expect(!result.output.contains("salvage"))
        #expect(result.output.contains("doorbell.db\n"))
    }

    @Test("The new queue is flushed before it has its name, and each name before the old one goes")
    func order() throws {
        let trace = bench.directory.file("trace")
        let result = try bench.run(
            ["queue", "salvage"],
            wrapper: ["/usr/bin/strace", "-qq", "-y", "-o", trace, "-e", "trace=fsync,rename,link,unlink"])
        #expect(result.ending == .exited(0), "\(result.errors)")
        // What is done to SQLite's own files isn't looked at.
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        let steps = lines.compactMap { line -> String? in
            let call = line.prefix { $0 != "(" }
            if line.contains("salvage-draft>") { return "\(call) draft" }
            if line.contains("<\(bench.state)>") { return "\(call) directory" }
            let names = ["\"\(path).salvage", "\"\(path)\""]
            return names.contains { line.contains($0) } ? String(call) : nil
        }
        let expected = [
            "fsync draft", "rename", "fsync directory", "link", "fsync directory",
            "unlink", "fsync directory", "rename", "fsync directory",
        ]
        #expect(steps.joined(separator: ", ").contains(expected.joined(separator: ", ")), "\(steps)")
    }

    @Test("While another program writes, a salvage gives up after a while and changes nothing")
    func busy() throws {
        let holder = try Connection(path: path, busyTimeout: .zero, creating: false)
        try holder.execute("BEGIN IMMEDIATE")
        let result = try doorbell("queue", "salvage")
        #expect(result.ending == .exited(75))
        #expect(result.errors.contains("another process holds the write lock"))
        #expect(try !bench.files().contains { $0.contains("damaged") || $0.contains("salvage") })
        try holder.execute("COMMIT")
    }

    @Test(
        "Whatever call of a salvage fails or is its last, the next start finds the damaged queue or the salvaged one, and another salvage ends it",
        arguments: ["link", "unlink", "rename", "fsync", "fdatasync", "ftruncate"],
        ["error=EIO", "signal=KILL"])
    func disturbed(call: String, fault: String) throws {
        let trace = bench.directory.file("trace")
        func salvage(_ strace: [String]) throws -> RunningProgram.Ending {
            for name in try bench.files() where name != "doorbell.key" { unlink(bench.state + "/\(name)") }
            try damaged.write(to: URL(fileURLWithPath: path))
            try "not a log".write(toFile: path + "-wal", atomically: false, encoding: .utf8)
            return try bench.run(
                ["queue", "salvage"], wrapper: ["/usr/bin/strace", "-qq", "-o", trace] + strace
            ).ending
        }
        #expect(try salvage(["-e", "trace=openat,\(call)"]) == .exited(0))
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
        let calls = TracedCall.all(in: lines, from: "doorbell.toml").filter { $0.name == call }
        #expect(!calls.isEmpty)
        for call in calls {
            let ending = try salvage(["-e", "trace=\(call.name)", "-e", call.injection(fault)])
            #expect(
                [.exited(0), .exited(73), .exited(74), .signalled(SIGKILL)].contains(ending),
                "\(call): \(ending)")
            let check = try doorbell("queue", "check")
            if check.ending == .exited(74) {
                #expect(try doorbell("queue", "salvage").ending == .exited(0), "\(call)")
            } else {
                #expect(check.ending == .exited(0), "\(call): \(check.ending) \(check.errors)")
            }
            #expect(try QueueCheck.findings(path: path, busyTimeout: .zero) == [], "\(call)")
            #expect(try QueueStore.unlocked(path: path, busyTimeout: .zero).devices().count == 1, "\(call)")
            #expect(try isKeptAside(), "\(call)")
            #expect(try !bench.files().contains { $0.contains(".salvage") }, "\(call)")
        }
    }
}
