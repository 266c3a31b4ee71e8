import Foundation
import Posix
import SQLite
import TestSupport
import Testing

/// An account of the machine against the spool of all.
@Suite(Requires.root)
struct AttackTests {
    private static let service: uid_t = 65_534
    private let fixture: DrainFixture
    private let attacker, victim: uid_t

    init() throws {
        fixture = try DrainFixture()
        try fixture.giveAway(to: Self.service)
        // Everybody has to get to the spool.
        for name in ["", "spool"] { chmod(fixture.directory.file(name), 0o711) }
        attacker = try #require(getpwnam("games")).pointee.pw_uid
        victim = try #require(getpwnam("daemon")).pointee.pw_uid
    }

    private func publishVictims(_ name: String) throws {
        let path = try fixture.directory.write(
            "unpublished", DrainFixture.entry(user: "daemon"), mode: 0o640)
        #expect(chown(path, victim, Self.service) == 0)
        #expect(rename(path, fixture.new(name)) == 0)
    }

    /// Starts the attacker, who has set its traps then.
    private func attack() throws -> RunningProgram {
        let secret = try fixture.directory.write("secret", DrainFixture.entry(user: "daemon"), mode: 0o600)
        let victims = try fixture.directory.write("victims", DrainFixture.entry(user: "daemon"), mode: 0o644)
        #expect(chown(victims, victim, victim) == 0)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Peers/attacker.py").path
        let program = try RunningProgram(
            "/usr/bin/setpriv",
            [
                "--reuid=\(attacker)", "--regid=\(attacker)", "--clear-groups", "/usr/bin/python3", "-B",
                script, fixture.directory.file("spool/new"), "games", "daemon", victims, secret,
            ])
        try program.waitForLine(containing: "ready")
        return program
    }

    /// The most memory that a process has had, in KiB.
    private func peakMemory(of program: RunningProgram) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(program.processIdentifier)/status", encoding: .utf8)
        return try #require(status.firstMatch(of: #/VmHWM:\s+(\d+)/#).flatMap { Int($0.1) })
    }

    private static let refused = [
        "forged": "wrong_owner", "forged-twice": "bad_json", "forged-escaped": "bad_user", "deep": "bad_json",
        "huge-number": "bad_json", "control": "bad_folder", "not-utf8": "bad_json", "closed": "unreadable",
        "sparse": "oversized", "symlink": "not_regular", "symlink-to-entry": "not_regular",
        "symlink-to-directory": "not_regular", "fifo": "not_regular", "socket": "not_regular",
        "%0A%1B%5B2J%202026-01-01T00%3A00%3A00.000Z%20root%20uid%3D0%20linked": "bad_json",
    ]

    /// Waits until the drain has given each trick its reason; some get two seconds' patience first.
    private func waitForReasons(of daemon: RunningProgram) throws {
        let wanted =
            Self.refused.map { " \($0.key) uid=\(attacker) \($0.value)" }
            + [" linked uid=", " device uid=0 not_regular"]
        while true {
            let told = daemon.errors.utf8.count
            let reasons = (try? fixture.reasons()) ?? []
            let missing = wanted.filter { wanted in !reasons.contains { $0.contains(wanted) } }
            if missing.isEmpty { return }
            try #require(daemon.waitForNews(beyond: told, within: 20) > told, "\(missing)")
        }
    }

    @Test("Whatever an account does to the spool, it rings nobody else, stops nothing and gets at nothing")
    func everyTrick() throws {
        try publishVictims("victims")
        let attack = try attack()
        // Endless to whoever reads it: /dev/zero, which only root can make.
        #expect(mknod(fixture.new("device"), S_IFCHR | 0o666, 0x105) == 0)
        let daemon = try fixture.start()
        let memory = try peakMemory(of: daemon)
        try attack.waitForLine(containing: "done")

        try waitForReasons(of: daemon)
        try publishVictims("afterwards")
        try fixture.waitUntilDrained(but: ["full", "leased"])

        #expect(!attack.output.contains("allowed"))
        let queue = try Connection(
            path: fixture.directory.file("state/doorbell.db"), busyTimeout: .seconds(20))
        let rung = try queue.query("SELECT DISTINCT owner_uid || ' ' || user FROM notices") { $0.text(0) }
        #expect(Set(rung) == ["\(attacker) games", "\(victim) daemon"])
        let victims = try queue.query("SELECT spool_name FROM notices WHERE user = 'daemon'") { $0.text(0) }
        #expect(victims.sorted() == ["afterwards", "victims"])
        // A sanitizer keeps what the program has freed.
        if ProcessInfo.processInfo.environment["DOORBELL_SANITIZED"] == nil {
            #expect(try peakMemory(of: daemon) < memory + 16_384)
        }
        daemon.send(SIGTERM)
        #expect(try daemon.waitForEnd() == .exited(0))
    }
}
