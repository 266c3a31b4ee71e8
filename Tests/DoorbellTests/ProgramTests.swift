import Foundation
import JSON
import Posix
import Queue
import TestSupport
import Testing

@Suite("The program doorbell")
struct ProgramTests {
    private static let token = String(repeating: "c4", count: 31) + "Fe"
    private let bench: CommandBench
    private var directory: TemporaryDirectory { bench.directory }

    init() throws { bench = try CommandBench() }

    private func doorbell(_ arguments: String..., input: String = "") throws -> RunningProgram.Result {
        try bench.run(arguments, input: input)
    }

    private func store() throws -> QueueStore {
        try .unlocked(path: bench.queue, busyTimeout: .seconds(5))
    }

    @Test(
        "A device is added, with the configuration's defaults: its id is the output, what it took is told beside"
    )
    func add() throws {
        let result = try doorbell("device", "add", "--user", NSUserName(), input: Self.token + "\n")
        #expect(result.ending == .exited(0))
        #expect(result.output == "1\n")
        #expect(
            result.errors
                == "doorbell: device 1: topic com.example.Mail, environment production, platform ios, folders INBOX\n"
        )
        let device = try #require(try store().devices().first)
        #expect(device.registration.token == [UInt8](repeating: 0xC4, count: 31) + [0xFE])
        #expect(device.topic == "com.example.Mail")
        #expect(device.environment == "production")
    }

    @Test("What was asked for is told as it was taken, the topic and the folders too")
    func told() throws {
        let result = try doorbell(
            "device", "add", "--user", NSUserName(), "--topic", "com.example.Other", "--environment",
            "sandbox",
            "--platform", "macos", "--folders", "INBOX,Lists", input: Self.token)
        #expect(
            result.errors
                == "doorbell: device 1: topic com.example.Other, environment sandbox, platform macos, folders INBOX,Lists\n"
        )
    }

    @Test("A user without an account here is accepted with a warning, which doesn't repeat the name")
    func virtualUser() throws {
        let result = try doorbell("device", "add", "--user", "no-such-user", input: Self.token)
        #expect(result.ending == .exited(0))
        #expect(result.output == "1\n")
        #expect(result.errors.contains("\ndoorbell: warning: this machine has no account of the user's name"))
        #expect(!result.errors.contains("no-such-user"))
        #expect(try store().devices().map(\.user) == ["no-such-user"])
    }

    @Test("Adding a known device again prints the same id and updates it")
    func addAgain() throws {
        _ = try doorbell("device", "add", "--user", "alice", input: Self.token)
        let again = try doorbell(
            "device", "add", "--user", "alice", "--label", "New", input: Self.token.uppercased())
        #expect(again.output == "1\n")
        #expect(try store().devices().map(\.label) == ["New"])
    }

    @Test("A list shows the device and no more than 8 characters of its token")
    func list() throws {
        _ = try doorbell("device", "add", "--user", "alice", input: Self.token)
        let list = try doorbell("device", "list").output
        #expect(list.contains(" c4c4c4c4 "))
        #expect(!list.lowercased().contains("c4c4c4c4c"))
    }

    @Test("A removed device is gone; removing it again is refused with 69")
    func remove() throws {
        _ = try doorbell("device", "add", "--user", "alice", input: Self.token)
        #expect(try doorbell("device", "remove", "1").ending == .exited(0))
        #expect(try store().devices().map(\.removedReason) == ["operator"])
        let again = try doorbell("device", "remove", "1")
        #expect(again.ending == .exited(69))
        #expect(again.errors == "doorbell: no live device 1; see doorbell device list\n")
    }

    @Test("An apns-id in any case tells what became of its wake; an unknown one is refused with 69")
    func trace() throws {
        let id = "5b0e1d6a-934c-5f27-a851-0cd73e62f419"
        _ = try doorbell("device", "add", "--user", "alice", input: Self.token)
        let store = try store()
        let notice = NewNotice(
            ownerUID: 1000, spoolName: [0x61], user: "alice", folder: "INBOX", uid: 7, messageID: "<a@b>",
            at: .now)
        _ = try store.insert([notice], now: .now)
        _ = try store.fanOut(limit: 1, now: .now) { _, _ in
            .deliver([NewDelivery(device: 1, apnsID: id, collapseID: nil, expiration: .now)])
        }
        let found = try doorbell("trace", id.uppercased())
        #expect(found.ending == .exited(0))
        #expect(
            found.output.hasPrefix(
                "reached Apple  not yet: push is off ([push] says enabled = false)\n"))
        #expect(found.output.contains("\napns-id        \(id)\n"))
        #expect(found.output.contains("\nnotice         1: alice, INBOX\nuid            7\n"))
        #expect(!found.output.contains("a@b"))
        let unknown = try doorbell("trace", "00000000" + id.dropFirst(8))
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
        let store = try store()
        let nobody = "no wake of this user: none came, or what came is forgotten (retention.push)"
        #expect(
            try doorbell("trace", "--user", "alice").output
                == "\(nobody); and no device has this user, see doorbell device list\n\(missing)")
        _ = try doorbell("device", "add", "--user", "alice", input: Self.token)
        #expect(try doorbell("trace", "--user", "alice").output == "\(nobody)\n\(missing)")
        let notices = (0..<25).map { number in
            NewNotice(
                ownerUID: 1000, spoolName: Array("\(number)".utf8), user: "alice", folder: "INBOX", uid: 7,
                messageID: "", at: .now)
        }
        _ = try store.insert(notices, now: .now)
        let lock = try LockFile(path: directory.file("state/drain.lock"))
        for (arguments, count) in [([], 20), (["--last", "3"], 3), (["--last=10000"], 25)] {
            let lines = try bench.run(["trace", "--user", "alice"] + arguments).output.split(separator: "\n")
            #expect(lines.count == 1 + count)
            let line = try #require(lines.last)
            #expect(line.contains("  none    not yet: push is off ([push] says enabled = false)  none"))
        }
        withExtendedLifetime(lock) {}
    }

    @Test(
        "Only adding a device makes a queue: where there is none, every other command says so and leaves none",
        arguments: [
            ["status"], ["status", "--json"], ["device", "list"], ["device", "remove", "1"],
            ["trace", "5b0e1d6a-934c-5f27-a851-0cd73e62f419"],
        ])
    func noQueue(command: [String]) throws {
        let queue = bench.queue
        let missing = try bench.run(command)
        #expect(missing.ending == .exited(69))
        #expect(
            missing.errors
                == "doorbell: \(queue): there is no queue yet; spool-drain, dispatch and doorbell device add make it\n"
        )
        #expect(!FileManager.default.fileExists(atPath: queue))
        try directory.write("state/doorbell.db", "")
        #expect(try bench.run(command).ending == .exited(69))
        #expect(try Data(contentsOf: URL(fileURLWithPath: queue)).isEmpty)
    }

    @Test(
        "A program that is killed while it makes the queue leaves none, or one that the group can open",
        arguments: ["fchmod", "close"])
    func killedMaking(call: String) throws {
        let queue = bench.queue
        _ = try bench.run(
            ["device", "add", "--user", "alice"],
            wrapper: [
                "/bin/sh", "-c", #"umask 077; exec "$0" "$@""#, "/usr/bin/strace", "-o", "/dev/null", "-P",
                queue,
                "-e", "inject=\(call):signal=KILL",
            ], input: Self.token)
        let attributes = try? FileManager.default.attributesOfItem(atPath: queue)
        #expect([nil, 0o660].contains(attributes?[.posixPermissions] as? Int))
    }

    @Test("Status says why push is off and which daemon holds its lock")
    func status() throws {
        _ = try store()
        let lock = try LockFile(path: directory.file("state/dispatch.lock"))
        let status = try JSONParser.parse(Array(try doorbell("status", "--json").output.utf8))
        #expect(status["push_off_reason"]?.string == "[push] says enabled = false")
        #expect(status["dispatch_process"]?.integer == Int64(getpid()))
        #expect(status["drain_process"] == .null)
        withExtendedLifetime(lock) {}
    }

    @Test("Status counts what lies in the spool, as its owner where root asks, and says why where it can't")
    func spool() throws {
        _ = try store()
        let spool = directory.file("spool")
        let configuration = try String(contentsOfFile: bench.configuration, encoding: .utf8)
        try directory.write("doorbell.toml", "\(configuration)\n[spool]\ndirectory = \"\(spool)\"\n")
        #expect(
            try doorbell("status").output.contains(
                "\nspool        unknown: stat \(spool)/new: No such file or directory\n") || geteuid() != 0)
        for (place, names) in [("new", ["a", "b", ".c"]), ("corrupt", ["d", "reasons.log"])] {
            try FileManager.default.createDirectory(
                atPath: "\(spool)/\(place)", withIntermediateDirectories: true)
            for name in names { try directory.write("spool/\(place)/\(name)", "") }
            chmod("\(spool)/\(place)", 0o700)
            // Who isn't root can't, and needn't.
            chown("\(spool)/\(place)", 65_534, 65_534)
        }
        chmod(directory.path, 0o711)
        #expect(
            try doorbell("status").output.contains(
                "\nspool        2 waiting, 1 set aside; see doorbell spool corrupt list\n"))
        let json = try JSONParser.parse(Array(try doorbell("status", "--json").output.utf8))
        #expect(json["spool_waiting"]?.integer == 2 && json["spool_set_aside"]?.integer == 1)
    }

    @Test("Asking for the status doesn't take a daemon's lock away, nor leave one behind")
    func statusLeavesLocks() throws {
        _ = try store()
        _ = try doorbell("status")
        let lock = try LockFile(path: directory.file("state/drain.lock"))
        #expect(try doorbell("status").output.contains("spool-drain  runs as process \(getpid())\n"))
        withExtendedLifetime(lock) {}
    }

    @Test("Hazard 103: SQLite alone opens the database for a status, and once")
    func opensOnce() throws {
        _ = try store()
        let log = directory.file("strace")
        _ = try bench.run(
            ["status"], wrapper: ["/usr/bin/strace", "-f", "-o", log, "-e", "trace=open,openat"])
        let opened = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("/doorbell.db\"") && !$0.contains(" = -1 ")
        }
        #expect(opened.count == 1, "\(opened)")
    }

    @Test("What is wrong with the input, the arguments or the files has its own exit code")
    func exitCodes() throws {
        #expect(try doorbell("device", "add").ending == .exited(64))
        #expect(try doorbell("device", "add", "--user", "alice", input: "c4c4").ending == .exited(65))
        try directory.write("state/doorbell.db", "not a database, but long enough to be looked at")
        #expect(try doorbell("status").ending == .exited(74))
        try directory.write("doorbell.toml", "[queue]\npaht = 1\n")
        let result = try doorbell("status")
        #expect(result.ending == .exited(78))
        #expect(result.errors.contains("doorbell.toml:2:"))
    }

    @Test("Without a topic anywhere, adding a device is refused with what to do")
    func noTopic() throws {
        try directory.write("doorbell.toml", "[queue]\npath = \"\(directory.file("state/doorbell.db"))\"\n")
        let result = try doorbell("device", "add", "--user", "alice", input: Self.token)
        #expect(result.ending == .exited(64))
        #expect(result.errors.contains("--topic is missing"))
    }

    @Test("Without its key nobody is added, but listed, counted and removed; then a new key is made")
    func lostKey() throws {
        _ = try doorbell("device", "add", "--user", "alice", input: Self.token)
        try FileManager.default.removeItem(atPath: directory.file("state/doorbell.key"))
        let refused = try doorbell("device", "add", "--user", "alice", input: Self.token)
        #expect(refused.ending == .exited(78))
        #expect(refused.errors.contains("state/doorbell.key: is missing"), "\(refused.errors)")
        #expect(try doorbell("device", "list").output.contains("c4c4c4c4"))
        #expect(try doorbell("status").ending == .exited(0))
        #expect(try doorbell("device", "remove", "--all").output == "1 device removed\n")
        #expect(try doorbell("device", "add", "--user", "alice", input: Self.token).output == "2\n")
        #expect(try store().devices().last?.token.count == 32)
    }

    @Test("Help and version need no configuration")
    func help() throws {
        try directory.write("doorbell.toml", "broken")
        #expect(try doorbell("--help").output.hasPrefix("usage: doorbell"))
        #expect(try doorbell("--version").output == "doorbell \(Version.text)\n")
    }

    @Test("Hazard 116: a disk that refuses the flush ends the command with 74, and nothing was registered")
    func failedFlush() throws {
        _ = try store().secret()
        let strace = ["/usr/bin/strace", "-f", "-o", "/dev/null", "-e", "inject=fdatasync,fsync:error=EIO"]
        let result = try bench.run(
            ["device", "add", "--user", "alice"], wrapper: strace, input: Self.token)
        #expect(result.ending == .exited(74))
        #expect(result.errors.contains("check the disk, then start again"))
        #expect(result.output == "")
        #expect(try store().devices().isEmpty)
    }

    @Test(
        "Hazard 116: whichever write, flush or lock fails, an id that was printed belongs to a device that is there",
        arguments: ["pwrite64", "fdatasync", "ftruncate", "fcntl", "mmap"])
    func everyCall(call: String) throws {
        let log = directory.file("strace")
        for turn in 1...200 {
            _ = try store().secret()
            let user = "user\(turn)"
            let result = try bench.run(
                ["device", "add", "--user", user],
                wrapper: [
                    "/usr/bin/strace", "-o", log, "-e", "trace=\(call)", "-e",
                    "inject=\(call):error=EIO:when=\(turn)", "-P", bench.queue, "-P", bench.queue + "-wal",
                    "-P",
                    bench.queue + "-shm",
                ], input: Self.token)
            let found = try store().devices().first { $0.user == user }
            if result.ending == .exited(0) {
                #expect(result.output == "\(found?.id ?? 0)\n", "\(call) \(turn)")
            } else {
                #expect(result.ending == .exited(74), "\(call) \(turn): \(result.errors)")
                #expect(result.output == "")
            }
            guard try String(contentsOfFile: log, encoding: .utf8).contains("(INJECTED)") else {
                #expect(turn > 1, "\(call) was never made")
                return
            }
        }
        Issue.record("the calls never ended")
    }

    @Test(
        "In a directory that lets other users in it does nothing, and says how to mend that",
        arguments: [["device", "list"], ["queue", "check"], ["queue", "salvage"]])
    func unsafe(command: [String]) throws {
        let state = bench.state
        chmod(state, 0o777)
        let result = try bench.run(command)
        #expect(result.ending == .exited(77))
        #expect(result.errors == "doorbell: \(state) lets other users in; as root: chmod o-rwx \(state)\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: state).isEmpty)
    }

    @Test(
        "Of the queue's files the one is named that the service can't write", Requires.root,
        arguments: [
            ("", "can't be written"), ("-wal", "its -wal can't be written"),
            ("-shm", "its -shm can't be written"), (nil, "its directory can't be written"),
        ] as [(String?, String)], [0o600, 0o644])
    func unwritable(file: (suffix: String?, fault: String), mode: mode_t) throws {
        let (state, queue) = (bench.state, bench.queue)
        chmod(directory.path, 0o711)
        chown(state, 65_534, 65_534)
        #expect(try doorbell("device", "add", "--user", "alice", input: Self.token).ending == .exited(0))
        // Else its companions would be gone.
        let store = file.suffix == nil ? nil : try QueueStore(path: queue, busyTimeout: .zero)
        _ = try store?.secret()
        if let suffix = file.suffix {
            chown(queue + suffix, 0, 0)
            chmod(queue + suffix, mode)
        } else {
            chmod(state, 0o550)
        }
        let result = try doorbell("device", "remove", "1")
        #expect(result.ending == .exited(77))
        #expect(
            result.errors
                == "doorbell: \(queue): \(file.fault); run as the owner of the queue, or correct owner and mode\n"
        )
        withExtendedLifetime(store) {}
    }

    @Test("Where the queue's directory is missing, it says how to make it")
    func noDirectory() throws {
        let state = bench.state
        #expect(rmdir(state) == 0)
        let result = try doorbell("status")
        #expect(result.ending == .exited(73))
        #expect(result.errors.contains("\(state) is missing; as root: install -d -m 2770 "))
    }

    @Test(
        "Started by root, it leaves files that belong to the owner of the directory", Requires.root)
    func becomesOwner() throws {
        let state = bench.state
        // The owner has to reach the directory as well.
        chmod(directory.path, 0o711)
        chown(state, 65_534, 65_534)
        #expect(try doorbell("device", "add", "--user", "alice", input: Self.token).ending == .exited(0))
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(state)/doorbell.db")
        #expect(attributes[.ownerAccountID] as? Int == 65_534)
        #expect(attributes[.groupOwnerAccountID] as? Int == 65_534)
    }
}
