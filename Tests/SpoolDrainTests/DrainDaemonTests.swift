import Foundation
import Posix
import SQLite
import TestSupport
import Testing

struct DrainDaemonTests {
    @Test("With an hour between rescans an entry becomes a row at once, and so does the next")
    func atOnce() throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start()
        for name in ["a", "b"] {
            try fixture.publish(name)
            #expect(try fixture.waitForTrigger())
            #expect(try fixture.rows().last == name)
            #expect(try fixture.names(in: "spool/new").isEmpty)
        }
        daemon.send(SIGTERM)
        #expect(try daemon.waitForEnd() == .exited(0))
        #expect(try fixture.metrics()["doorbell_drain_watch_up"] == 0)
    }

    @Test("Hazard 106: an entry renamed, linked, created in place or copied like rsync makes one row each")
    func waysIn() throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start()
        let text = DrainFixture.entry()

        try fixture.publish("renamed")
        #expect(try fixture.waitForTrigger())

        let outside = try fixture.directory.write("outside", text)
        #expect(link(outside, fixture.new("linked")) == 0)
        unlink(outside)
        #expect(try fixture.waitForTrigger())

        // In two pieces, so that it can be seen half written.
        let file = open(fixture.new("created"), O_CREAT | O_EXCL | O_WRONLY, 0o640)
        for piece in [text.prefix(30), text.dropFirst(30)] {
            #expect(write(file, Array(piece.utf8), piece.utf8.count) == piece.utf8.count)
        }
        close(file)
        #expect(try fixture.waitForTrigger())

        try fixture.directory.write("spool/new/.copied.Xy12Z3", text)
        #expect(rename(fixture.new(".copied.Xy12Z3"), fixture.new("copied")) == 0)
        #expect(try fixture.waitForTrigger())

        #expect(try fixture.rows() == ["renamed", "linked", "created", "copied"])
        #expect(try fixture.corrupt().isEmpty)
        withExtendedLifetime(daemon) {}
    }

    @Test("Hazard 107: entries whose events the kernel has dropped are drained at once")
    func overflow() throws {
        let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let limit = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let fixture = try DrainFixture()
        let daemon = try fixture.start()
        try fixture.publish("before")
        #expect(try fixture.waitForTrigger())
        daemon.send(SIGSTOP)
        let source = try fixture.directory.write("source", "")
        for index in 0...limit {
            // Different names in turn, because equal events in a row become one.
            let path = fixture.new("flood\(index % 2)")
            try #require(link(source, path) == 0)
            unlink(path)
        }
        for index in 0..<250 { try fixture.publish("dropped\(index)") }
        daemon.send(SIGCONT)
        try fixture.waitUntilDrained()
        let rows = try fixture.rows()
        #expect(rows.count == 251)
        #expect(Set(rows).count == 251)
        daemon.send(SIGTERM)
        #expect(try daemon.waitForEnd() == .exited(0))
        #expect(daemon.errors.components(separatedBy: "raise fs.inotify.max_queued_events").count == 2)
        let metrics = try fixture.metrics()
        #expect(metrics["doorbell_drain_watch_overflows_total"] == 1)
        #expect(metrics["doorbell_drain_scans_total{cause=\"overflow\"}"] == 1)
        #expect(metrics["doorbell_drain_inotify_limit{limit=\"max_queued_events\"}"] == Double(limit))
    }

    @Test("Hazard 109: a storm of SIGHUP during a storm of entries loses none")
    func hangups() throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start()
        for index in 0..<300 {
            try fixture.publish("\(index)")
            daemon.send(SIGHUP)
        }
        try fixture.waitUntilDrained()
        #expect(try Set(fixture.rows()).count == 300)
        daemon.send(SIGTERM)
        #expect(try daemon.waitForEnd() == .exited(0))
    }

    @Test("Hazard 110: directories that come and go at speed end no drain and delay no entry")
    func directories() throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start()
        for index in 0..<300 {
            let path = fixture.new("directory\(index % 3)")
            mkdir(path, 0o755)
            if index % 2 == 0 { rename(path, path + "-renamed") }
            rmdir(path)
            if index % 100 == 50 { try fixture.publish("\(index)") }
        }
        while try fixture.rows().count < 3 { try #require(try fixture.waitForTrigger()) }
        daemon.send(SIGTERM)
        #expect(try daemon.waitForEnd() == .exited(0))
    }

    @Test("Hazard 111: the drain starts no program, so that none is left behind")
    func children() throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start()
        for index in 0..<100 { try fixture.publish("\(index)") }
        try fixture.waitUntilDrained()
        let id = daemon.processIdentifier
        // Names those that have ended and wait for their parent too.
        #expect(try String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8) == "")
    }

    @Test("Hazard 114: on a file system that tells nothing every rescan finds what has come")
    func silent() throws {
        let fixture = try DrainFixture(rescan: "1s")
        // The kernel is never asked to watch, and the drain doesn't know.
        let daemon = try fixture.start(strace: [
            "-e", "trace=inotify_add_watch", "-e", "inject=inotify_add_watch:retval=1",
        ])
        // The first may have come before the first scan.
        for name in ["a", "b", "c"] {
            try fixture.publish(name)
            #expect(try fixture.waitForTrigger())
        }
        // Written at the latest after the scan before the one that found "c".
        let metrics = try fixture.metrics()
        #expect(metrics["doorbell_drain_scans_total{cause=\"wake\"}"] == 0)
        #expect(metrics["doorbell_drain_scans_total{cause=\"timeout\"}"] ?? 0 >= 1)
        withExtendedLifetime(daemon) {}
    }

    @Test(
        "Hazard 112: where inotify's limits are reached, a line says what to raise, and the spool is polled",
        arguments: [
            ("inotify_add_watch:error=ENOSPC", "fs.inotify.max_user_watches"),
            ("inotify_init:error=EMFILE", "fs.inotify.max_user_instances"),
        ])
    func limits(injection: String, cure: String) throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start(strace: [
            "-e", "trace=inotify_init,inotify_add_watch", "-e", "inject=\(injection)",
        ])
        try daemon.waitForLine(containing: "raise \(cure); until then looking every 2 s")
        for name in ["a", "b"] {
            try fixture.publish(name)
            #expect(try fixture.waitForTrigger())
        }
        // Written at the latest after the scan before the one that found "b".
        #expect(try fixture.metrics()["doorbell_drain_watch_up"] == 0)
        #expect(daemon.errors.components(separatedBy: cure).count == 2)
    }

    @Test("A spool that is moved away and made anew is watched again")
    func movedAway() throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start()
        try fixture.publish("before")
        #expect(try fixture.waitForTrigger())
        #expect(rename(fixture.new(""), fixture.directory.file("spool/away")) == 0)
        try daemon.waitForLine(
            containing: "/new was moved, removed or unmounted; what is there now is watched")
        try daemon.waitForLine(containing: "/new: No such file or directory")
        #expect(mkdir(fixture.new(""), 0o700) == 0)
        try fixture.publish("after")
        #expect(try fixture.waitForTrigger())
        #expect(try fixture.rows() == ["before", "after"])
    }

    @Test("While somebody holds the queue's lock the entries wait in the spool, and then they are drained")
    func busy() throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start()
        try fixture.publish("a")
        #expect(try fixture.waitForTrigger())
        let queue = try Connection(
            path: fixture.directory.file("state/doorbell.db"), busyTimeout: .seconds(20))
        try queue.execute("BEGIN IMMEDIATE")
        try fixture.publish("b")
        try daemon.waitForLine(containing: "another process holds the write lock")
        #expect(try fixture.names(in: "spool/new") == ["b"])
        #expect(try fixture.once().ending == .exited(75))
        try queue.execute("ROLLBACK")
        #expect(try fixture.waitForTrigger())
        #expect(try fixture.rows() == ["a", "b"])
    }

    @Test("A second drain, once or for long, ends with 75 and names the holder", arguments: [[], ["--once"]])
    func second(arguments: [String]) throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start()
        let result = try RunningProgram.run(
            try BuiltProgram.path("spool-drain"), ["--config", fixture.configuration] + arguments)
        #expect(result.ending == .exited(75))
        #expect(result.errors.contains("drain.lock is held by process \(daemon.processIdentifier)\n"))
    }

    @Test("SIGTERM ends an idle drain within two seconds", arguments: [SIGTERM, SIGINT])
    func stopsIdle(signal: Int32) throws {
        let fixture = try DrainFixture()
        let daemon = try fixture.start()
        try fixture.publish("a")
        #expect(try fixture.waitForTrigger())
        daemon.send(signal)
        #expect(try daemon.waitForEnd(within: 2) == .exited(0))
    }

    @Test("SIGTERM ends a busy drain within two seconds with nothing half done", arguments: [0, 1, 3])
    func stopsBusy(batches: Int) throws {
        let fixture = try DrainFixture()
        for index in 0..<600 { try fixture.publish("\(index)") }
        let daemon = try fixture.start()
        for _ in 0..<batches { #expect(try fixture.waitForTrigger()) }
        daemon.send(SIGTERM)
        #expect(try daemon.waitForEnd(within: 2) == .exited(0))
        let rows = try Set(fixture.rows())
        let left = try Set(fixture.names(in: "spool/new"))
        #expect(rows.isDisjoint(with: left))
        #expect(rows.count + left.count == 600)
    }
}
