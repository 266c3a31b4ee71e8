import Foundation
import TestSupport
import Testing

/// Started by root in an installation that belongs to a service user.
@Suite(Requires.root)
struct DrainAsRootTests {
    private static let service: uid_t = 65_534
    private let fixture: DrainFixture

    init() throws {
        fixture = try DrainFixture()
        try fixture.giveAway(to: Self.service)
    }

    @Test("What it makes belongs to the service")
    func owner() throws {
        try fixture.publish("sound", mode: 0o644)
        try fixture.publish("damaged", "x\n", mode: 0o644)
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.rows() == ["sound"])
        for name in [
            "state/drain.lock", "state/doorbell.db", "spool/corrupt/reasons.log",
            "metrics/doorbell-drain.prom",
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: fixture.directory.file(name))
            #expect(attributes[.ownerAccountID] as? Int == Int(Self.service), "\(name)")
        }
    }

    @Test("A corrupt/ that isn't the owner's of new/ is refused with 77")
    func twoOwners() throws {
        #expect(chown(fixture.directory.file("spool/corrupt"), 0, 0) == 0)
        let result = try fixture.once()
        #expect(result.ending == .exited(77))
        #expect(result.errors.contains("/corrupt: Permission denied"))
    }

    @Test("Somebody's empty directory is removed, and a full one stays; each is told as what it is")
    func directories() throws {
        for name in ["empty", "full", "full/x"] { #expect(mkdir(fixture.new(name), 0o755) == 0) }
        let result = try fixture.once()
        #expect(result.ending == .exited(0))
        #expect(result.errors.contains("warning: 1 empty directory removed from "))
        #expect(
            result.errors.contains("warning: 1 entry in \(fixture.directory.file("spool"))/new only root "))
        #expect(!result.errors.contains(" moved to "))
        #expect(try fixture.names(in: "spool/new") == ["full"])
        #expect(try fixture.reasons().isEmpty)
        let metrics = try fixture.metrics()
        #expect(metrics["doorbell_drain_corrupt_entries_total{reason=\"not_regular\"}"] == 2)
        #expect(metrics["doorbell_drain_entries_waiting"] == 1)
    }

    @Test("Full directories, one after another, cost one line and no entry")
    func manyDirectories() throws {
        let daemon = try fixture.start()
        for index in 0..<20 {
            let path = fixture.new("full\(index)")
            #expect(mkdir(fixture.directory.file("made"), 0o755) == 0)
            #expect(mkdir(fixture.directory.file("made/x"), 0o755) == 0)
            #expect(rename(fixture.directory.file("made"), path) == 0)
            try fixture.publish("\(index)", mode: 0o644)
            #expect(try fixture.waitForTrigger())
        }
        daemon.send(SIGTERM)
        #expect(try daemon.waitForEnd() == .exited(0))
        #expect(daemon.errors.components(separatedBy: "only root can remove").count == 2)
        #expect(try fixture.rows().count == 20)
    }

    @Test("An entry that its owner has closed is passed over for a while")
    func closed() throws {
        let daemon = try fixture.start()
        try fixture.publish("closed", mode: 0o600)
        try fixture.publish("a", mode: 0o644)
        #expect(try fixture.waitForTrigger())
        #expect(try fixture.names(in: "spool/new") == ["closed"])
        chmod(fixture.new("closed"), 0o644)
        #expect(try fixture.waitForTrigger())
        #expect(try fixture.rows() == ["a", "closed"])
        withExtendedLifetime(daemon) {}
    }
}
