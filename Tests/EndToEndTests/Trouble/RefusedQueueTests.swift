import Foundation
import Posix
import Queue
import SQLite
import TestSupport
import Testing

/// Queues that no program may use: each refuses them with the same words, and leaves them as they are.
@Suite("A queue that can't be used")
struct RefusedQueueTests {
    /// What is wrong with the queue.
    enum Fault: String, CaseIterable {
        case damaged, foreign, newer, halfSalvaged, vanished

        var code: Int32 {
            switch self {
            case .damaged, .halfSalvaged: 74
            case .foreign, .newer: 78
            case .vanished: 69
            }
        }

        var words: String {
            switch self {
            case .damaged:
                "is damaged or no database; stop spool-drain and dispatch, then doorbell queue salvage"
            case .foreign: "is a database of another program; check [queue] path"
            case .newer: "install the newer program"
            case .halfSalvaged: "a salvage was interrupted; stop spool-drain and dispatch"
            case .vanished: "is missing, but its doorbell.key is there; put it back"
            }
        }

        var label: String {
            switch self {
            case .damaged, .halfSalvaged: "corrupt"
            case .foreign: "foreign"
            case .newer: "newer_version"
            case .vanished: "missing"
            }
        }

        func make(_ path: String) throws {
            switch self {
            case .damaged:
                try String(repeating: "mail ", count: 2000).write(
                    toFile: path, atomically: false, encoding: .utf8)
            case .foreign:
                try Connection(path: path, busyTimeout: .zero).execute("CREATE TABLE bookmarks (url TEXT)")
            case .newer:
                _ = try QueueStore(path: path, busyTimeout: .zero)
                try Connection(path: path, busyTimeout: .zero).execute("PRAGMA user_version = 99")
            case .halfSalvaged:
                _ = try QueueStore(path: path, busyTimeout: .zero)
                try "".write(toFile: path + ".salvage", atomically: false, encoding: .utf8)
            case .vanished:
                _ = try QueueStore.unlocked(path: path, busyTimeout: .zero)
                unlink(path)
            }
        }
    }

    @Test(
        "Each program refuses it with one line, a code and a count, and nothing is changed or lost",
        arguments: Fault.allCases, ["drain", "dispatch", "doorbell"])
    func refused(fault: Fault, program: String) throws {
        let bench = try TroubleBench()
        try bench.publish("a")
        let path = bench.installation.queue
        try fault.make(path)
        let before = FileManager.default.contents(atPath: path)
        let result =
            switch program {
            case "drain": try bench.run("spool-drain", ["--once"])
            case "dispatch": try bench.run("dispatch", ["--once"])
            default: try bench.run("doorbell", ["status"])
            }
        #expect(result.ending == .exited(fault.code))
        #expect(result.errors.contains("\(path): "))
        #expect(result.errors.contains(fault.words))
        #expect(result.errors.components(separatedBy: fault.words).count == 2)
        #expect(FileManager.default.contents(atPath: path) == before)
        #expect(try bench.spool() == ["a"])
        if program != "doorbell" { #expect(try bench.troubles(program, fault.label) == 1) }
    }

    @Test(
        "Where a queue has been, every command of doorbell says that its key is left, and makes none",
        arguments: [
            ["status"], ["device", "list"], ["queue", "check"], ["queue", "salvage"],
            ["device", "add", "--user", NSUserName()],
        ])
    func vanished(command: [String]) throws {
        let bench = try TroubleBench()
        let path = bench.installation.queue
        try Fault.vanished.make(path)
        let result = try bench.run("doorbell", command, input: String(repeating: "a1", count: 32))
        #expect(result.ending == .exited(Fault.vanished.code))
        #expect(result.errors.hasPrefix("doorbell: \(path): \(Fault.vanished.words)"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("Where there is no queue a daemon makes one and says so, and doorbell says that there is none")
    func missing() throws {
        let bench = try TroubleBench()
        let status = try bench.run("doorbell", ["status"])
        #expect(status.ending == .exited(69))
        #expect(
            status.errors
                == "doorbell: \(bench.installation.queue): there is no queue yet; spool-drain, dispatch and doorbell device add make it\n"
        )
        for program in ["spool-drain", "dispatch"] {
            let daemon = try bench.start(program)
            try daemon.waitForLine(containing: "made the queue, \(bench.installation.queue)")
            daemon.send(SIGTERM)
            #expect(try daemon.waitForEnd() == .exited(0))
            unlink(bench.installation.queue)
        }
    }

    @Test(
        "A queue that is removed while the drain runs takes no entry with it, and its log no commit",
        arguments: ["", "-wal"])
    func removedUnderDrain(suffix: String) throws {
        let bench = try TroubleBench()
        let drain = try bench.start("spool-drain")
        try drain.waitForLine(containing: "drains ")
        try bench.publish("a")
        try bench.waitUntilDrained()
        unlink(bench.installation.queue + suffix)
        try bench.publish("b")
        #expect(try drain.waitForEnd() == .exited(75))
        #expect(
            drain.errors.contains("it or its -wal isn't what it was when this program started; start again"))
        #expect(try bench.troubles("drain", "moved") == 1)
        #expect(try bench.spool() == ["b"])
        #expect(try bench.run("spool-drain", ["--once"]).ending == .exited(0))
        #expect(try bench.spool() == [])
        #expect(try bench.store().counts(now: .now).waiting == (suffix.isEmpty ? 1 : 2))
    }

    @Test(
        "Where the log is removed while dispatch runs, the answer isn't taken for noted, and nothing is lost")
    func removedUnderDispatch() throws {
        let bench = try TroubleBench(simulator: ["--answer", "* = 200 delay=1000"])
        try bench.register()
        try bench.publish("a")
        #expect(try bench.run("spool-drain", ["--once"]).ending == .exited(0))
        let dispatch = try bench.start("dispatch")
        try bench.installation.apple.waitForRequests(1)
        unlink(bench.installation.queue + "-wal")
        #expect(try dispatch.waitForEnd() == .exited(75))
        #expect(try bench.troubles("dispatch", "moved") == 1)
        #expect(try bench.run("dispatch", ["--once"]).ending == .exited(0))
        #expect(try bench.sent() == 1)
        #expect(Set(bench.installation.apple.requests.map { $0.header("apns-id") }).count == 1)
    }
}
