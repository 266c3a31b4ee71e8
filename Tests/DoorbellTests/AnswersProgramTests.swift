import Foundation
import JSON
import Posix
import Queue
import TestSupport
import Testing

@Suite("What doorbell answers")
struct AnswersProgramTests {
    private let bench: CommandBench

    init() throws { bench = try CommandBench() }

    @Test("An apns-id in any case tells what became of its wake; an unknown one is refused with 69")
    func trace() throws {
        let id = "5b0e1d6a-934c-5f27-a851-0cd73e62f419"
        _ = try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token)
        let store = try bench.store()
        let notice = NewNotice(
            ownerUID: 1000, spoolName: [0x61], user: "alice", folder: "INBOX", uid: 7, messageID: "<a@b>",
            at: .now)
        _ = try store.insert([notice], now: .now)
        _ = try store.fanOut(limit: 1, now: .now) { _, _ in
            .deliver([NewDelivery(device: 1, apnsID: id, collapseID: nil, expiration: .now)])
        }
        let found = try bench.doorbell("trace", id.uppercased())
        #expect(found.ending == .exited(0))
        #expect(
            found.output.hasPrefix(
                "reached Apple  not yet: push is off ([push] says enabled = false)\n"))
        #expect(found.output.contains("\napns-id        \(id)\n"))
        #expect(found.output.contains("\nnotice         1: alice, INBOX\nuid            7\n"))
        #expect(!found.output.contains("a@b"))
        let unknown = try bench.doorbell("trace", "00000000" + id.dropFirst(8))
        #expect(unknown.ending == .exited(69))
        #expect(
            unknown.errors
                == "doorbell: no delivery has this apns-id, or it ended longer than retention.push ago\n")
    }

    @Test(
        "A user's wakes are as many as are asked for; what may be missing is told, and that nobody has a device"
    )
    func traceUser() throws {
        let missing = "spool-drain doesn't run: what came since isn't here\n"
        let store = try bench.store()
        let nobody = "no wake of this user: none came, or what came is forgotten (retention.push)"
        #expect(
            try bench.doorbell("trace", "--user", "alice").output
                == "\(nobody); and no device has this user, see doorbell device list\n\(missing)")
        _ = try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token)
        #expect(try bench.doorbell("trace", "--user", "alice").output == "\(nobody)\n\(missing)")
        _ = try bench.doorbell("device", "remove", "1")
        #expect(try bench.doorbell("trace", "--user", "alice").output.contains("no device has this user"))
        let notices = (0..<25).map { number in
            NewNotice(
                ownerUID: 1000, spoolName: Array("\(number)".utf8), user: "alice", folder: "INBOX", uid: 7,
                messageID: "", at: .now)
        }
        _ = try store.insert(notices, now: .now)
        let lock = try LockFile(path: bench.directory.file("state/drain.lock"))
        for (arguments, count) in [([], 20), (["--last", "3"], 3), (["--last=10000"], 25)] {
            let lines = try bench.run(["trace", "--user", "alice"] + arguments).output.split(separator: "\n")
            #expect(lines.count == 1 + count)
            let line = try #require(lines.last)
            #expect(line.contains("  none    not yet: push is off ([push] says enabled = false)  none"))
        }
        withExtendedLifetime(lock) {}
    }

    @Test("Status says why push is off and which daemon holds its lock")
    func status() throws {
        _ = try bench.store()
        let lock = try LockFile(path: bench.directory.file("state/dispatch.lock"))
        let status = try JSONParser.parse(Array(try bench.doorbell("status", "--json").output.utf8))
        #expect(status["push_off_reason"]?.string == "[push] says enabled = false")
        #expect(status["dispatch_process"]?.integer == Int64(getpid()))
        #expect(status["drain_process"] == .null)
        withExtendedLifetime(lock) {}
    }

    @Test("Status counts what lies in the spool, as its owner where root asks, and says why where it can't")
    func spool() throws {
        _ = try bench.store()
        let spool = bench.directory.file("spool")
        let configuration = try String(contentsOfFile: bench.configuration, encoding: .utf8)
        try bench.directory.write("doorbell.toml", "\(configuration)\n[spool]\ndirectory = \"\(spool)\"\n")
        #expect(
            try bench.doorbell("status").output.contains(
                "\nspool        unknown: stat \(spool)/new: No such file or directory\n") || geteuid() != 0)
        for (place, names) in [("new", ["a", "b", ".c"]), ("corrupt", ["d", "reasons.log"])] {
            try FileManager.default.createDirectory(
                atPath: "\(spool)/\(place)", withIntermediateDirectories: true)
            for name in names { try bench.directory.write("spool/\(place)/\(name)", "") }
            chmod("\(spool)/\(place)", 0o700)
            // Who isn't root can't, and needn't.
            chown("\(spool)/\(place)", 65_534, 65_534)
        }
        chmod(bench.directory.path, 0o711)
        #expect(
            try bench.doorbell("status").output.contains(
                "\nspool        2 waiting, 1 set aside; see doorbell spool corrupt list\n"))
        let json = try JSONParser.parse(Array(try bench.doorbell("status", "--json").output.utf8))
        #expect(json["spool_waiting"]?.integer == 2 && json["spool_set_aside"]?.integer == 1)
    }

    @Test("Asking for the status doesn't take a daemon's lock away, nor leave one behind")
    func statusLeavesLocks() throws {
        _ = try bench.store()
        _ = try bench.doorbell("status")
        let lock = try LockFile(path: bench.directory.file("state/drain.lock"))
        #expect(try bench.doorbell("status").output.contains("spool-drain  runs as process \(getpid())\n"))
        withExtendedLifetime(lock) {}
    }

    @Test("Hazard 103: SQLite alone opens the database for a status, and once")
    func opensOnce() throws {
        _ = try bench.store()
        let log = bench.directory.file("strace")
        _ = try bench.run(
            ["status"], wrapper: ["/usr/bin/strace", "-f", "-o", log, "-e", "trace=open,openat"])
        let opened = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("/doorbell.db\"") && !$0.contains(" = -1 ")
        }
        #expect(opened.count == 1, "\(opened)")
    }
}
