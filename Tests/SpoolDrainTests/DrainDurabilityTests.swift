import Foundation
import Posix
import TestSupport
import Testing

/// What reaches the kernel in which order, seen and disturbed by strace.
struct DrainDurabilityTests {
    @Test("Of each batch the write-ahead log is flushed before the first entry is unlinked")
    func flushBeforeUnlink() throws {
        let fixture = try DrainFixture()
        for index in 0..<250 { try fixture.publish("\(index)") }
        let result = try fixture.once(strace: ["-f", "-e", "trace=fsync,fdatasync,pwrite64,unlinkat"])
        #expect(result.ending == .exited(0))
        var isFlushed = false
        var isDirty = false
        var unlinked = 0
        var batches = 0
        for line in result.errors.split(separator: "\n") {
            if line.contains("pwrite64(") && line.contains("doorbell.db-wal") {
                (isDirty, isFlushed) = (true, false)
            } else if line.contains("sync(") && line.contains("doorbell.db-wal") && isDirty {
                (isDirty, isFlushed) = (false, true)
                batches += 1
            } else if line.contains("unlinkat(") && line.contains("spool/new") {
                #expect(isFlushed, "unlinked before the flush: \(line)")
                unlinked += 1
            }
        }
        #expect(unlinked == 250)
        #expect(batches >= 3)
    }

    @Test("Hazard 103: SQLite alone opens the database, and once, so that nobody's closing drops its locks")
    func opensOnce() throws {
        let fixture = try DrainFixture()
        #expect(try fixture.once().ending == .exited(0))
        try fixture.publish("a")
        let result = try fixture.once(strace: ["-f", "-e", "trace=open,openat"])
        let opened = result.errors.split(separator: "\n").filter {
            $0.contains("/doorbell.db\"") && !$0.contains(" = -1 ")
        }
        #expect(opened.count == 1, "\(opened)")
    }

    @Test("The drain never looks for the key of the device tokens, and makes none")
    func noKey() throws {
        let fixture = try DrainFixture()
        // Where there is no queue it asks whether the key tells of one.
        _ = try fixture.once()
        try fixture.publish("a")
        let result = try fixture.once(strace: ["-f", "-e", "trace=%file"])
        #expect(result.ending == .exited(0))
        #expect(result.errors.contains("/doorbell.db"))
        #expect(!result.errors.contains("doorbell.key"))
        #expect(try !fixture.names(in: "state").contains("doorbell.key"))
    }

    @Test("An idle drain makes no system call until an entry comes")
    func idle() throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start(strace: ["-f"])
        try daemon.waitForLine("the wait") { $0.hasPrefix("pselect6(") ? $0 : nil }
        // strace completes the line when the call returns. The two seconds are what is being shown here.
        #expect(throws: RunningProgram.DeadlinePassed.self) {
            try daemon.waitForLine("wake-up", within: 2) {
                $0.hasPrefix("pselect6(") && $0.contains(") = ") ? $0 : nil
            }
        }
        try fixture.publish("a")
        #expect(try fixture.waitForTrigger())
        #expect(try fixture.rows() == ["a"])
    }

    @Test(
        "Killed at any unlink after a commit, it leaves entries that the next drain makes no second row of",
        arguments: [1, 2, 100, 101, 250])
    func killedBetween(unlink: Int) throws {
        let fixture = try DrainFixture()
        let names = (1000..<1250).map(String.init)
        for name in names { try fixture.publish(name) }
        // Only in this directory: a sanitizer unlinks a file of its own.
        let killed = try fixture.once(strace: [
            "-f", "-P", fixture.directory.file("spool/new"), "-e", "trace=unlinkat",
            "-e", "inject=unlinkat:signal=KILL:when=\(unlink)",
        ])
        #expect(killed.ending == .signalled(SIGKILL))
        #expect(try fixture.names(in: "spool/new").count >= 250 - unlink)
        let committed = min(250, (unlink + 99) / 100 * 100)
        #expect(try fixture.rows().count == committed)
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.rows() == names)
        #expect(
            try fixture.notices() == Double(250 - committed), "what was a notice already isn't counted again")
        #expect(try fixture.names(in: "spool/new").isEmpty)
    }

    @Test("When the disk doesn't take the log, it ends with 74 and the entries stay")
    func failedFlush() throws {
        let fixture = try DrainFixture()
        try fixture.publish("a")
        #expect(try fixture.once().ending == .exited(0))
        try fixture.publish("b")
        let result = try fixture.once(
            strace: ["-f", "-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:error=EIO"])
        #expect(result.ending == .exited(74))
        #expect(result.errors.contains("doorbell.db: "))
        #expect(try fixture.names(in: "spool/new") == ["b"])
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.rows() == ["a", "b"])
    }

    @Test("While the accounts can't be asked the entries stay", Requires.root)
    func noAccounts() throws {
        let fixture = try DrainFixture(spool: "trusted_uids = []")
        try fixture.publish("a", DrainFixture.entry(user: "no-such-user"))
        // A machine on which the only source of accounts isn't there.
        let machine = fixture.directory.file("etc")
        try FileManager.default.createDirectory(atPath: machine, withIntermediateDirectories: false)
        try fixture.directory.write("etc/nsswitch.conf", "passwd: files\n")
        let result = try RunningProgram.run(
            "/usr/bin/unshare",
            [
                "--mount", "sh", "-c", #"mount --bind "$0" /etc && exec "$@""#, machine,
                try BuiltProgram.path("spool-drain"), "--config", fixture.configuration, "--once",
            ])
        #expect(result.ending == .exited(0))
        #expect(result.errors.contains(" an account: "))
        #expect(try fixture.names(in: "spool/new") == ["a"])
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.corrupt() == ["a"])
    }

    @Test("A directory of counters that can't be written to costs one line and no entry")
    func metricsFail() throws {
        let fixture = try DrainFixture()
        try FileManager.default.removeItem(atPath: fixture.directory.file("metrics"))
        try fixture.publish("a")
        let result = try fixture.once()
        #expect(result.ending == .exited(0))
        #expect(result.errors.contains("No such file or directory; the counters are not written\n"))
        #expect(try fixture.rows() == ["a"])
    }
}
