import Foundation
import Posix
import Settings
import TestSupport
import Testing

@testable import SpoolDrainCommand

@Suite("What the drain gives up before it reads what strangers wrote")
struct ConfinedTests {
    private let fixture: DrainFixture

    init() throws { fixture = try DrainFixture() }

    private func status(of program: RunningProgram) throws -> [Substring: Substring] {
        let text = try String(contentsOfFile: "/proc/\(program.processIdentifier)/status", encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.split(separator: ":\t", maxSplits: 1) }
        return Dictionary(lines.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }

    @Test("Led to a file outside while it opens an entry, the drain's process is refused by the kernel")
    func led() throws {
        let outside = try fixture.directory.write("outside", DrainFixture.entry("<outside@x>"))
        // Long enough for another path to be written over it, on its way into the kernel.
        let name = String(repeating: "n", count: 200)
        let trace = fixture.directory.file("trace")
        func traced(_ more: [String]) throws -> [String] {
            try fixture.publish(name)
            _ = try fixture.once(strace: ["-o", trace, "-e", "trace=openat"] + more)
            return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix("openat(") }
        }
        // With a queue from the start, so that both make the same calls.
        _ = try fixture.once()
        let calls = try traced([])
        let turn = try #require(calls.firstIndex { $0.contains("\"\(name)\"") }) + 1
        let bytes = (Array(outside.utf8) + [0]).map { String(format: "%02x", $0) }.joined()

        let refused = try traced(["-e", "inject=openat:poke_enter=@arg2=\(bytes):when=\(turn)"])
        let refusal = try #require(refused.dropFirst(turn - 1).first)
        #expect(refusal.contains("EACCES (Permission denied)"), "\(refusal)")
        #expect(try fixture.messageIDs() == ["<x@y>"])
    }

    @Test("Accounts, its log and its own directories are within reach, and nothing that is somebody else's")
    func reach() throws {
        let configuration = try Configuration.load(fixture.configuration)
        let own =
            ["spool", "spool/new", "spool/corrupt", "state", "metrics"].map(fixture.directory.file)
            + ["/etc/passwd", "/etc/nsswitch.conf", "/usr/lib", "/run"]
        let others = [
            fixture.directory.path, fixture.configuration, NSHomeDirectory(), "/", "/root", "/home", "/tmp",
            "/var", "/var/mail", "/var/spool", "/var/log", "/var/lib", "/boot", "/proc/1/environ",
            "/proc/self",
            "/sys", "/dev/mem",
        ]
        let outcome = try onItsOwnThread {
            var ground = Ground(configuration)
            try ground.confine()
            let refused = (own + others).filter { path in
                do throws(SystemCallError) {
                    _ = try FileDescriptor.open(path, O_RDONLY)
                    return false
                } catch {
                    return error.errno == .permissionDenied
                }
            }
            return (
                refused: refused, root: try UserDatabase.uid(of: "root"),
                nobody: try UserDatabase.uid(of: "no-such-user")
            )
        }
        #expect(outcome.refused == others.filter(FileManager.default.fileExists(atPath:)))
        #expect(outcome.root == 0)
        #expect(outcome.nobody == nil)
    }

    @Test(
        "A kernel without Landlock is told in one line and a gauge, and the spool is drained",
        arguments: [
            "landlock_create_ruleset:error=ENOSYS", "landlock_create_ruleset:error=EOPNOTSUPP",
            "landlock_create_ruleset:retval=1", "landlock_restrict_self:error=E2BIG",
        ])
    func withoutLandlock(injection: String) throws {
        try fixture.publish("a")
        let call = injection.prefix { $0 != ":" }
        let result = try fixture.once(strace: [
            "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(injection)",
        ])
        #expect(result.ending == .exited(0))
        #expect(try fixture.rows() == ["a"])
        let lines = DrainFixture.lines(of: result)
        #expect(lines.count == 1)
        #expect(lines.first?.contains(" warning: goes on without Landlock, which takes Linux 5.19: ") == true)
        #expect(try fixture.metrics()["doorbell_drain_confined"] == 0)
    }

    @Test("Confined, it says nothing of it, and a gauge shows it")
    func gauge() throws {
        let daemon = try fixture.start()
        try fixture.publish("a")
        #expect(try fixture.waitForTrigger())
        #expect(try status(of: daemon)["NoNewPrivs"] == "1")
        daemon.send(SIGTERM)
        #expect(try daemon.waitForEnd() == .exited(0))
        #expect(!daemon.errors.contains("Landlock"))
        #expect(try fixture.metrics()["doorbell_drain_confined"] == 1)
    }

    @Test("It keeps no capability, not even one that it was given as a user of its own", Requires.root)
    func capabilities() throws {
        try fixture.giveAway(to: 65_534)
        chmod(fixture.directory.path, 0o711)
        let given = ["--inh-caps", "+dac_override,+net_raw", "--ambient-caps", "+dac_override,+net_raw"]
        let identity = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        for options in [[], identity + given] {
            let daemon = try RunningProgram(
                "/usr/bin/setpriv",
                options + [try BuiltProgram.path("spool-drain"), "--config", fixture.configuration])
            try daemon.waitForLine(containing: "drains ")
            let status = try status(of: daemon)
            for name in ["CapInh", "CapPrm", "CapEff", "CapAmb"] as [Substring] {
                #expect(status[name] == "0000000000000000", "\(name)")
            }
            #expect(status["Uid"] == "65534\t65534\t65534\t65534")
            #expect(status["Gid"] == "65534\t65534\t65534\t65534")
            daemon.send(SIGTERM)
            #expect(try daemon.waitForEnd() == .exited(0))
        }
    }

    @Test(
        "Where the spool is root's it stays root and says so, with the command that changes it", Requires.root
    )
    func root() throws {
        let result = try fixture.once()
        #expect(result.ending == .exited(0))
        let new = fixture.new("").dropLast()
        #expect(
            result.errors.contains(
                " warning: runs as root, to whom \(new) belongs, and needs no root; as root: chown "))
    }

    @Test("What it makes is closed to other users whatever the umask it was started with")
    func mask() throws {
        let daemon = try RunningProgram(
            "/bin/sh",
            [
                "-c", #"umask 0; exec "$0" "$@""#, try BuiltProgram.path("spool-drain"), "--config",
                fixture.configuration,
            ])
        try daemon.waitForLine(containing: "drains ")
        #expect(try status(of: daemon)["Umask"] == "0007")
        for name in try fixture.names(in: "state") {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: fixture.directory.file("state/\(name)"))
            #expect(try #require(attributes[.posixPermissions] as? Int) & 0o007 == 0, "\(name)")
        }
    }
}
