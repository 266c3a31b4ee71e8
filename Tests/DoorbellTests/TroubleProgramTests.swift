import Foundation
import Queue
import TestSupport
import Testing

@Suite("The program doorbell in trouble")
struct TroubleProgramTests {
    private let bench: CommandBench

    init() throws { bench = try CommandBench() }

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
        try bench.directory.write("state/doorbell.db", "")
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
            ], input: CommandBench.token)
        let attributes = try? FileManager.default.attributesOfItem(atPath: queue)
        #expect([nil, 0o660].contains(attributes?[.posixPermissions] as? Int))
    }

    @Test("Without its key nobody is added, but listed, counted and removed; then a new key is made")
    func lostKey() throws {
        _ = try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token)
        try FileManager.default.removeItem(atPath: bench.directory.file("state/doorbell.key"))
        let refused = try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token)
        #expect(refused.ending == .exited(78))
        #expect(refused.errors.contains("state/doorbell.key: is missing"), "\(refused.errors)")
        #expect(try bench.doorbell("device", "list").output.contains("c4c4c4c4"))
        #expect(try bench.doorbell("status").ending == .exited(0))
        #expect(try bench.doorbell("device", "remove", "--all").output == "1 device removed\n")
        #expect(
            try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token).output == "2\n")
        #expect(try bench.store().devices().last?.token.count == 32)
    }

    @Test("Hazard 116: a disk that refuses the flush ends the command with 74, and nothing was registered")
    func failedFlush() throws {
        _ = try bench.store().secret()
        let strace = ["/usr/bin/strace", "-f", "-o", "/dev/null", "-e", "inject=fdatasync,fsync:error=EIO"]
        let result = try bench.run(
            ["device", "add", "--user", "alice"], wrapper: strace, input: CommandBench.token)
        #expect(result.ending == .exited(74))
        #expect(result.errors.contains("check the disk, then start again"))
        #expect(result.output == "")
        #expect(try bench.store().devices().isEmpty)
    }

    @Test(
        "Hazard 116: whichever write, flush or lock fails, an id that was printed belongs to a device that is there",
        arguments: ["pwrite64", "fdatasync", "ftruncate", "fcntl", "mmap"])
    func everyCall(call: String) throws {
        let log = bench.directory.file("strace")
        for turn in 1...200 {
            _ = try bench.store().secret()
            let user = "user\(turn)"
            let result = try bench.run(
                ["device", "add", "--user", user],
                wrapper: [
                    "/usr/bin/strace", "-o", log, "-e", "trace=\(call)", "-e",
                    "inject=\(call):error=EIO:when=\(turn)", "-P", bench.queue, "-P", bench.queue + "-wal",
                    "-P",
                    bench.queue + "-shm",
                ], input: CommandBench.token)
            let found = try bench.store().devices().first { $0.user == user }
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
        chmod(bench.directory.path, 0o711)
        chown(state, 65_534, 65_534)
        #expect(
            try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token).ending
                == .exited(0))
        // Else its companions would be gone.
        let store = file.suffix == nil ? nil : try QueueStore(path: queue, busyTimeout: .zero)
        _ = try store?.secret()
        if let suffix = file.suffix {
            chown(queue + suffix, 0, 0)
            chmod(queue + suffix, mode)
        } else {
            chmod(state, 0o550)
        }
        let result = try bench.doorbell("device", "remove", "1")
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
        let result = try bench.doorbell("status")
        #expect(result.ending == .exited(73))
        #expect(result.errors.contains("\(state) is missing; as root: install -d -m 2770 "))
    }

    @Test(
        "Started by root, it leaves files that belong to the owner of the directory", Requires.root)
    func becomesOwner() throws {
        let state = bench.state
        // The owner has to reach the directory as well.
        chmod(bench.directory.path, 0o711)
        chown(state, 65_534, 65_534)
        #expect(
            try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token).ending
                == .exited(0))
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(state)/doorbell.db")
        #expect(attributes[.ownerAccountID] as? Int == 65_534)
        #expect(attributes[.groupOwnerAccountID] as? Int == 65_534)
    }
}
