import Foundation
import TestSupport
import Testing

@Suite("When another directory or file system comes to a path that the drain works on")
struct GroundTests {
    private let fixture: DrainFixture

    init() throws { fixture = try DrainFixture(rescan: "1s") }

    private func make(_ names: String...) {
        for name in names { #expect(mkdir(fixture.directory.file(name), 0o700) == 0) }
    }

    private func move(_ name: String, to other: String) {
        #expect(rename(fixture.directory.file(name), fixture.directory.file(other)) == 0)
    }

    /// The drain ends by itself, to be started again, and says which path it is.
    private func expectEnd(of daemon: RunningProgram, because name: String) throws {
        #expect(try daemon.waitForEnd() == .exited(75))
        let path = fixture.directory.file(name)
        #expect(daemon.errors.contains(" error: \(path)"))
        #expect(daemon.errors.contains("isn't what it was when this program started; "))
    }

    @Test("A spool that is missing is waited for, and one that was made anew ends the drain with 75")
    func spool() throws {
        let daemon = try fixture.start()
        move("spool", to: "away")
        try daemon.waitForLine(containing: "/spool/new is missing; as root: install -d ")
        move("away", to: "spool")
        try fixture.publish("a")
        #expect(try fixture.waitForTrigger())

        move("spool", to: "away")
        make("made", "made/new", "made/corrupt")
        move("made", to: "spool")
        try fixture.publish("b")
        try expectEnd(of: daemon, because: "spool")
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.rows() == ["a", "b"])
    }

    @Test(
        "A spool that looks the same and is out of reach, as after unmounting and mounting it, ends the drain with 75"
    )
    func outOfReach() throws {
        let daemon = try fixture.start(strace: [
            "-o", "/dev/null", "-P", fixture.directory.file("spool/new"), "-e", "trace=openat",
            // Not the watch's, nor the first scan's.
            "-e", "inject=openat:error=EACCES:when=4+",
        ])
        try expectEnd(of: daemon, because: "spool")
    }

    @Test(
        "A queue that was moved aside takes no entry along: the drain ends with 75, and the next one has them all",
        arguments: ["state", "state/doorbell.db"])
    func queue(name: String) throws {
        let daemon = try fixture.start()
        try fixture.publish("a")
        #expect(try fixture.waitForTrigger())
        move(name, to: "away")
        if name == "state" { make("state") }
        try fixture.publish("b")
        try expectEnd(of: daemon, because: "state/doorbell.db")
        #expect(try fixture.names(in: "spool/new") == ["b"])
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.rows() == ["b"])
    }

    @Test("A directory for counters that wasn't there is taken up by a new start")
    func metrics() throws {
        move("metrics", to: "away")
        let daemon = try fixture.start()
        try daemon.waitForLine(containing: "; the counters are not written")
        make("metrics")
        try expectEnd(of: daemon, because: "metrics")
    }
}

/// Each drain has a mount namespace of its own, which ends with it.
@Suite("When a file system is mounted or unmounted where the drain works", Requires.root)
struct GroundMountTests {
    private let fixture: DrainFixture

    init() throws { fixture = try DrainFixture(rescan: "1s") }

    private func start(after preparation: String = "true") throws -> RunningProgram {
        let daemon = try RunningProgram(
            "/usr/bin/unshare",
            [
                "--mount", "--propagation", "private", "/bin/sh", "-ec", #"\#(preparation); exec "$@""#, "sh",
                try BuiltProgram.path("spool-drain"), "--config", fixture.configuration,
            ])
        try daemon.waitForLine(containing: "drains ")
        return daemon
    }

    /// Runs a script where the drain sees the same file systems, in the test's directory.
    private func run(_ script: String, beside daemon: RunningProgram) throws {
        let result = try RunningProgram.run(
            "/usr/bin/nsenter",
            [
                "--mount=/proc/\(daemon.processIdentifier)/ns/mnt", "/bin/sh", "-ec",
                #"cd "$0"; \#(script)"#, fixture.directory.path,
            ])
        #expect(result.ending == .exited(0), "\(result.errors)")
    }

    /// Unmounts, once the drain doesn't look into it at this moment.
    private static func unmount(_ place: String) -> String {
        "timeout 20 bash -c 'until umount \(place) 2>/dev/null; do :; done'"
    }

    private static let mountOver = "mount -t tmpfs -o mode=3733 none spool/new"
    private static let mountSpool =
        "mount -t tmpfs -o mode=755 none spool; mkdir -m 3733 spool/new; mkdir -m 700 spool/corrupt"

    @Test("One that is mounted over new/ is drained, and what is beneath when it is unmounted again")
    func new() throws {
        let entry = try fixture.directory.write("entry", DrainFixture.entry(), mode: 0o640)
        let daemon = try start()
        for (change, name) in [(Self.mountOver, "above"), (Self.unmount("spool/new"), "beneath")] {
            try run("\(change); cp \(entry) spool/new/\(name)", beside: daemon)
            #expect(try fixture.waitForTrigger())
            #expect(try fixture.rows().last == name)
        }
        daemon.send(SIGTERM)
        #expect(try daemon.waitForEnd() == .exited(0))
    }

    @Test("One that is mounted over the spool ends the drain with 75 within a rescan")
    func spool() throws {
        let daemon = try start()
        try run(Self.mountSpool, beside: daemon)
        #expect(try daemon.waitForEnd() == .exited(75))
        #expect(daemon.errors.contains("/spool isn't what it was when this program started"))
    }

    @Test(
        "While the spool's own is unmounted a line says what is missing; another one there ends the drain with 75"
    )
    func unmounted() throws {
        let spool = fixture.directory.file("spool")
        for name in ["new", "corrupt"] { #expect(rmdir("\(spool)/\(name)") == 0) }
        let daemon = try start(after: "cd \(fixture.directory.path); \(Self.mountSpool); cd /")
        try run(Self.unmount("spool"), beside: daemon)
        try daemon.waitForLine(containing: "/spool/new is missing; as root: install -d ")
        try run(Self.mountSpool, beside: daemon)
        #expect(try daemon.waitForEnd() == .exited(75))
    }
}
