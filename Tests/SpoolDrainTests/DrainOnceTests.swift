import Foundation
import Glibc
import Posix
import SQLite
import TestSupport
import Testing

@testable import SpoolDrainCommand

struct DrainOnceTests {
    @Test("Once: everything in the spool becomes a row, in order, and the spool is empty")
    func drains() throws {
        let fixture = try DrainFixture()
        let names = (1000..<1250).map(String.init)
        for name in names.reversed() { try fixture.publish(name) }
        let result = try fixture.once()
        #expect(result.ending == .exited(0))
        #expect(DrainFixture.lines(of: result).isEmpty)
        #expect(try fixture.rows() == names)
        #expect(try fixture.names(in: "spool/new").isEmpty)
        #expect(try fixture.waitForTrigger(within: .zero))
        let metrics = try fixture.metrics()
        #expect(try fixture.notices() == 250)
        #expect(metrics["doorbell_drain_entries_waiting"] == 0)
        #expect(metrics["doorbell_drain_scan_duration_seconds_count"] == 1)
    }

    @Test("A mail that is to ring nobody is dropped with its reason, counted, and the one beside it waits")
    func quiet() throws {
        let fixture = try DrainFixture(
            more: "[quiet]\nkinds = [\"bounce\"]\nrecipients = [\"root@example.org\"]")
        let entries = [
            ("bounced", #""marks":"list,bounce""#), ("listed", #""marks":"list""#),
            ("asked", #""marks":"asked""#),
            ("sent", #""recipient":"Root@example.org""#),
        ]
        for (name, member) in entries {
            try fixture.publish(name, DrainFixture.entry().replacingOccurrences(of: "}", with: ",\(member)}"))
        }
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.names(in: "spool/new").isEmpty)
        let queue = try Connection(
            path: fixture.directory.file("state/doorbell.db"), busyTimeout: .seconds(20))
        let ended = try queue.query(
            "SELECT spool_name || ' ' || end || ' ' || reason FROM notices WHERE decided_at IS NOT NULL ORDER BY 1"
        ) { $0.text(0) }
        #expect(
            ended == [
                "asked dropped quiet_asked", "bounced dropped quiet_bounce", "sent dropped quiet_recipient",
            ])
        let metrics = try fixture.metrics()
        #expect(try fixture.notices() == 4)
        #expect(metrics["doorbell_drain_quiet_notices_total{reason=\"quiet_bounce\"}"] == 1)
        #expect(metrics["doorbell_drain_quiet_notices_total{reason=\"quiet_asked\"}"] == 1)
        #expect(metrics["doorbell_drain_quiet_notices_total{reason=\"quiet_list\"}"] == 0)
    }

    /// Ways to put something into the spool that is no entry, with the reason it gets.
    enum Damage: String, CaseIterable {
        case empty, torn, oversized, sparse, garbage, deep, twice, notUTF8, control, oldVersion, strangersUser
        case symlink, fifo, socket, linked

        var reason: String {
            switch self {
            case .empty, .torn: "truncated"
            case .oversized, .sparse: "oversized"
            case .garbage, .deep, .twice, .notUTF8: "bad_json"
            case .control: "bad_folder"
            case .oldVersion: "wrong_version"
            case .strangersUser: "wrong_owner"
            case .symlink, .fifo, .socket: "not_regular"
            case .linked: "linked"
            }
        }

        func place(in fixture: DrainFixture) throws {
            let path = fixture.new("damaged")
            switch self {
            case .empty: try fixture.publish("damaged", "")
            case .torn: try fixture.publish("damaged", String(DrainFixture.entry().prefix(40)))
            case .oversized: try fixture.publish("damaged", String(repeating: " ", count: 4097))
            case .sparse:
                try fixture.publish("damaged", DrainFixture.entry())
                #expect(truncate(path, 1 << 19) == 0)
            case .garbage: try fixture.publish("damaged", "mail\n")
            case .deep: try fixture.publish("damaged", String(repeating: "[", count: 4095) + "\n")
            case .twice: try fixture.publish("damaged", entry("INBOX\",\"folder\":\"Junk"))
            case .notUTF8:
                let bytes = Array(entry("~").utf8).map { $0 == UInt8(ascii: "~") ? 0xFF : $0 }
                try FileDescriptor.open(path, O_CREAT | O_EXCL | O_WRONLY, mode: 0o640).writeAll(bytes)
            case .control: try fixture.publish("damaged", entry("a\\u001b[2J"))
            case .oldVersion: try fixture.publish("damaged", DrainFixture.entry(version: 0))
            case .strangersUser: try fixture.publish("damaged", DrainFixture.entry(user: "no-such-user"))
            case .symlink: #expect(Glibc.symlink(fixture.configuration, path) == 0)
            case .fifo: #expect(mkfifo(path, 0o640) == 0)
            case .socket: #expect(mknod(path, S_IFSOCK | 0o640, 0) == 0)
            case .linked:
                try fixture.publish("damaged")
                #expect(link(path, fixture.directory.file("second-name")) == 0)
            }
        }

        private func entry(_ folder: String) -> String {
            DrainFixture.entry().replacingOccurrences(of: "INBOX", with: folder)
        }
    }

    @Test(
        "Hazard 115: what is no entry is set aside with its reason, and the entry beside it is drained",
        arguments: Damage.allCases)
    func damaged(damage: Damage) throws {
        // Nobody is trusted, so that root's entries are checked like anybody's.
        let fixture = try DrainFixture(spool: "trusted_uids = []")
        try damage.place(in: fixture)
        try fixture.publish("sound")
        let result = try fixture.once()
        #expect(result.ending == .exited(0))
        #expect(try fixture.rows() == ["sound"])
        #expect(try fixture.names(in: "spool/new").isEmpty)
        #expect(try fixture.corrupt() == ["damaged"])
        let reasons = try fixture.reasons()
        #expect(reasons.count == 1)
        #expect(reasons.first?.hasSuffix(" damaged uid=\(geteuid()) \(damage.reason)") == true)
        let metrics = try fixture.metrics()
        #expect(metrics["doorbell_drain_corrupt_entries_total{reason=\"\(damage.reason)\"}"] == 1)
        #expect(metrics["doorbell_drain_entries_waiting"] == 0)
        #expect(result.errors.contains("warning: 1 entry moved to "))
    }

    @Test("A directory of our own is removed when it is empty, and else stays like anybody's")
    func directories() throws {
        let fixture = try DrainFixture()
        for name in ["empty", "full", "full/x"] { #expect(mkdir(fixture.new(name), 0o777) == 0) }
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.names(in: "spool/new") == ["full"])
        #expect(try fixture.corrupt().isEmpty)
    }

    @Test("Of an owner's flood corrupt/ keeps the newest 100; what went is counted, and told in one line")
    func bounds() throws {
        let fixture = try DrainFixture()
        for index in 1000..<1250 { try fixture.publish("\(index)", "x\n") }
        let result = try fixture.once()
        #expect(result.ending == .exited(0))
        #expect(try fixture.corrupt() == (1150..<1250).map(String.init))
        let metrics = try fixture.metrics()
        #expect(metrics["doorbell_drain_corrupt_entries_total{reason=\"bad_json\"}"] == 250)
        #expect(metrics["doorbell_drain_corrupt_evicted_total"] == 150)
        #expect(result.errors.contains("warning: 250 entries moved to "))
        #expect(result.errors.contains("/corrupt, which is full: 150 removed from it; see doorbell spool "))
        #expect(DrainFixture.lines(of: result).count == 1)
    }

    @Test("An entry larger than corrupt/ keeps of one owner isn't kept, and takes no other along")
    func large() throws {
        let fixture = try DrainFixture()
        try fixture.publish("small", "x\n")
        #expect(try fixture.once().ending == .exited(0))
        try fixture.publish("large", "x\n")
        #expect(truncate(fixture.new("large"), 1 << 40) == 0)
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.corrupt() == ["small"])
        #expect(try fixture.metrics()["doorbell_drain_corrupt_evicted_total"] == 1)
    }

    @Test("Neither log nor metrics nor reasons name a user, an address or a Message-ID")
    func privacy() throws {
        let fixture = try DrainFixture(spool: "trusted_uids = []")
        try fixture.publish(
            "a", DrainFixture.entry("<quarrelsome@walrus.example>", user: "halibut@example.org"))
        try fixture.publish("b", DrainFixture.entry("<quarrelsome@walrus.example>", version: 9))
        let result = try fixture.once()
        let metrics = try String(
            contentsOfFile: fixture.directory.file("metrics/doorbell-drain.prom"), encoding: .utf8)
        let told = try result.errors + metrics + fixture.reasons().joined()
        #expect(try fixture.corrupt() == ["a", "b"])
        for word in ["quarrelsome", "walrus", "halibut"] { #expect(!told.contains(word)) }
    }

    @Test("An entry whose name is taken in corrupt/ keeps both, and none can take the place of the reasons")
    func takenNames() throws {
        let fixture = try DrainFixture()
        try fixture.directory.write("spool/corrupt/taken", "earlier")
        try fixture.publish("taken", "x\n")
        try fixture.publish("reasons.log", "x\n")
        #expect(try fixture.once().ending == .exited(0))
        let names = try fixture.names(in: "spool/corrupt")
        #expect(names.filter { $0.hasSuffix(".taken") }.count == 1)
        #expect(names.filter { $0.hasSuffix(".reasons.log") }.count == 1)
        let reasons = try fixture.reasons()
        #expect(reasons.count == 2)
        for name in names.filter({ $0.contains(".taken") || $0.hasSuffix(".reasons.log") }) {
            #expect(reasons.contains { $0.contains(" \(name) uid=") }, "under the name it has there")
        }
        let earlier = fixture.directory.file("spool/corrupt/taken")
        #expect(try String(contentsOfFile: earlier, encoding: .utf8) == "earlier")
    }

    @Test("An entry that names its owner counts, one that names somebody else doesn't", Requires.root)
    func owners() throws {
        let fixture = try DrainFixture()
        for (name, user) in [("own", "nobody"), ("forged", "daemon"), ("root", "alice@example.org")] {
            try fixture.publish(name, DrainFixture.entry(user: user))
        }
        let nobody = try #require(getpwnam("nobody")).pointee.pw_uid
        for name in ["own", "forged"] { #expect(chown(fixture.new(name), nobody, 0) == 0) }
        #expect(try fixture.once().ending == .exited(0))
        #expect(try Set(fixture.rows()) == ["own", "root"])
        #expect(try fixture.corrupt() == ["forged"])
        let metrics = try fixture.metrics()
        #expect(metrics["doorbell_drain_notices_total{source=\"hook\"}"] == 1)
        #expect(metrics["doorbell_drain_notices_total{source=\"trusted\"}"] == 1)
    }
}
