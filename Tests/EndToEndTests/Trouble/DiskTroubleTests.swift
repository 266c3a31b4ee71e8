import Foundation
import Posix
import Queue
import SQLite
import TestSupport
import Testing

/// File systems that can't be written to, descriptors that run out, locks and flushes.
@Suite("Trouble with disk and lock")
struct DiskTroubleTests {
    private let bench: TroubleBench

    init() throws {
        bench = try TroubleBench()
        try bench.register()
        try bench.publish("a")
    }

    /// What the trouble has kept waiting rings.
    private func expectItRings() throws {
        #expect(try bench.run("spool-drain", ["--once"]).ending == .exited(0))
        #expect(try bench.run("dispatch", ["--once"]).ending == .exited(0))
        #expect(try bench.spool() == [])
        #expect(try bench.sent() == 1)
    }

    @Test("A queue on a read-only file system is refused by each program, and named", Requires.root)
    func readOnlyQueue() throws {
        let wrapper = TroubleBench.readOnly(bench.state)
        for daemon in ["spool-drain", "dispatch"] {
            let result = try bench.run(daemon, ["--once"], wrapper: wrapper)
            #expect(result.ending == .exited(73))
            #expect(
                result.errors.contains(
                    "/state/\(daemon == "dispatch" ? daemon : "drain").lock: Read-only file system"))
        }
        let doorbell = try bench.run("doorbell", ["device", "remove", "1"], wrapper: wrapper)
        #expect(doorbell.ending == .exited(74))
        #expect(doorbell.errors.contains("its file system is read-only"), "\(doorbell.errors)")
        try expectItRings()
    }

    @Test("A spool on a read-only file system is drained, told once, and makes no second row", Requires.root)
    func readOnlySpool() throws {
        let drain = try bench.start(
            "spool-drain", wrapper: TroubleBench.readOnly(bench.installation.directory.file("spool")))
        try drain.waitForLine(containing: "a: Read-only file system")
        #expect(try bench.spool() == ["a"])
        #expect(try bench.store().counts(now: .now).waiting == 1)
        drain.send(SIGTERM)
        #expect(try drain.waitForEnd() == .exited(0))
        #expect(try bench.troubles("drain", "read_only") == 1)
        try expectItRings()
    }

    @Test(
        "A fault of the disk under the queue's log ends the drain with 74, is counted, and loses nothing",
        arguments: [
            ("pwrite64", "EROFS", "read_only"), ("pwrite64", "EIO", "io"), ("fdatasync", "EIO", "io"),
            ("fdatasync", "ENOSPC", "io"),
        ])
    func fault(call: String, errno: String, label: String) throws {
        let drain = try bench.run("spool-drain", ["--once"], wrapper: bench.failing(call, errno))
        #expect(drain.ending == .exited(74))
        #expect(drain.errors.components(separatedBy: " error: ").count == 2)
        #expect(try bench.troubles("drain", label) == 1)
        #expect(try bench.spool() == ["a"])
        try expectItRings()
    }

    @Test(
        "A fault of the disk under the queue's log ends dispatch with 74, is counted, and loses nothing",
        arguments: [
            ("pwrite64", "EROFS", "read_only"), ("pwrite64", "EIO", "io"), ("fdatasync", "EIO", "io"),
        ])
    func faultOfDispatch(call: String, errno: String, label: String) throws {
        #expect(try bench.run("spool-drain", ["--once"]).ending == .exited(0))
        let dispatch = try bench.run("dispatch", ["--once"], wrapper: bench.failing(call, errno))
        #expect(dispatch.ending == .exited(74))
        #expect(dispatch.errors.components(separatedBy: " error: ").count == 2)
        #expect(try bench.troubles("dispatch", label) == 1)
        try expectItRings()
    }

    @Test(
        "A queue that is damaged while a daemon runs ends it with 74, and what isn't committed stays in the spool",
        arguments: ["spool-drain", "dispatch"])
    func damagedUnder(program: String) throws {
        let daemon = try bench.start(program)
        try daemon.waitForLine(containing: program == "dispatch" ? "started" : "drains ")
        if program == "spool-drain" { try bench.waitUntilDrained() }
        // Whoever opens the queue next, or finds that others have written, reads the file again.
        let queue = try Connection(path: bench.installation.queue, busyTimeout: .seconds(20))
        try queue.execute("UPDATE installation SET swept_at = 1; PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: bench.installation.queue))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xEE, count: Int(size) - 4096))
        if program == "spool-drain" { try bench.publish("b") }
        #expect(try daemon.waitForEnd() == .exited(74), "\(daemon.errors)")
        #expect(daemon.errors.components(separatedBy: "is damaged or no database").count == 2)
        #expect(try bench.troubles(program == "dispatch" ? program : "drain", "corrupt") == 1)
        #expect(try bench.spool() == [program == "dispatch" ? "a" : "b"])
    }

    @Test("Without descriptors each program says so, or does its work", arguments: 4...9)
    func noDescriptors(limit: Int) throws {
        for (program, arguments) in [
            ("spool-drain", ["--once"]), ("dispatch", ["--once"]), ("doorbell", ["device", "list"]),
        ] {
            // The limit is set behind the shell's and the loader's own needs.
            let result = try bench.run(
                program, arguments, wrapper: ["/usr/bin/prlimit", "--nofile=\(limit)"])
            guard result.ending != .exited(0) else { continue }
            let codes: [Int32] = [66, 69, 73, 74, 75, 77, 78]
            #expect(codes.map { .exited($0) }.contains(result.ending), "\(program): \(result.ending)")
            #expect(
                result.errors.contains("Too many open files"), "\(program): \(result.errors)")
        }
        try expectItRings()
    }

    @Test("A drain whose descriptors run out says so once, and goes on when there are some")
    func drainWithoutDescriptors() throws {
        let drain = try bench.start("spool-drain")
        try bench.waitUntilDrained()
        try drain.limitFiles(to: 3)
        try bench.publish("b")
        try drain.waitForLine(containing: "Too many open files")
        #expect(try bench.spool() == ["b"])
        try drain.limitFiles(to: 100)
        try drain.waitForLine(containing: "works again")
        #expect(try bench.spool() == [])
        #expect(try (bench.troubles("drain", "too_many_files") ?? 0) > 0)
    }

    @Test(
        "A dispatch whose descriptors run out pauses the lane, charges nothing, and goes on when there are some"
    )
    func dispatchWithoutDescriptors() throws {
        let dispatch = try bench.start("dispatch")
        try dispatch.waitForLine(containing: "started")
        try dispatch.limitFiles(to: 3)
        #expect(try bench.run("spool-drain", ["--once"]).ending == .exited(0))
        try dispatch.waitForLine(containing: "Too many open files")
        #expect(try bench.sent() == 0)
        try dispatch.limitFiles(to: 100)
        try dispatch.waitForLine(containing: ": sent, accepted")
    }

    @Test("While somebody locks the queue a drain waits, says so once, and goes on by itself")
    func drainLockedOut() throws {
        let drain = try bench.start("spool-drain")
        try bench.waitUntilDrained()
        let holder = try Connection(path: bench.installation.queue, busyTimeout: .seconds(20))
        try holder.execute("BEGIN IMMEDIATE")
        try bench.publish("b")
        try drain.waitForLine(containing: "another process holds the write lock; try again")
        #expect(try bench.spool() == ["b"])
        try holder.execute("COMMIT")
        try drain.waitForLine(containing: "works again")
        #expect(try bench.spool() == [])
        #expect(try bench.troubles("drain", "busy") == 1)
    }

    @Test("While somebody locks the queue dispatch starts and waits, and doorbell gives up with 75")
    func othersLockedOut() throws {
        #expect(try bench.run("dispatch", ["--once"]).ending == .exited(0))
        let holder = try Connection(path: bench.installation.queue, busyTimeout: .seconds(20))
        try holder.execute("BEGIN IMMEDIATE")
        let dispatch = try bench.start("dispatch")
        try dispatch.waitForLine(containing: "another process holds the write lock; try again")
        let doorbell = try bench.run("doorbell", ["device", "remove", "1"])
        #expect(doorbell.ending == .exited(75))
        #expect(doorbell.errors.contains("another process holds the write lock; try again"))
        try holder.execute("COMMIT")
        try dispatch.waitForLine(containing: "queue: works again")
        dispatch.send(SIGTERM)
        #expect(try dispatch.waitForEnd() == .exited(0))
        #expect(try bench.troubles("dispatch", "busy") == 1)
    }
}
