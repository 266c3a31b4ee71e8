import Foundation
import Posix
import TestSupport
import Testing

/// Entries that were set aside, looked at and put back by `doorbell spool corrupt`.
struct RetryTests {
    private let fixture: DrainFixture

    init() throws { fixture = try DrainFixture(spool: "trusted_uids = []") }

    private func doorbell(_ arguments: String...) throws -> RunningProgram.Result {
        try RunningProgram.run(
            try BuiltProgram.path("doorbell"),
            ["--config", fixture.configuration, "spool", "corrupt"] + arguments)
    }

    private func attributes(_ path: String) throws -> [FileAttributeKey: Any] {
        try FileManager.default.attributesOfItem(atPath: path)
    }

    /// Sets entries aside that name a user whom their owner may not speak for.
    private func setAside(_ names: String...) throws {
        for name in names {
            try fixture.publish(name, DrainFixture.entry(user: "walrus@example.org"), mode: 0o640)
        }
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.corrupt() == names.sorted())
    }

    /// From now on they may.
    private func trust() throws {
        let text = try String(contentsOfFile: fixture.configuration, encoding: .utf8)
        try fixture.directory.write(
            "doorbell.toml",
            text.replacingOccurrences(of: "trusted_uids = []", with: "trusted_uids = [\(geteuid())]"))
    }

    @Test("The list has name, owner, reason, time and size, and no word of the entry")
    func list() throws {
        #expect(try doorbell("list").output == "no entries are set aside\n")
        try setAside("a")
        try fixture.directory.write("spool/corrupt/b c", "text")
        let result = try doorbell("list")
        #expect(result.ending == .exited(0))
        let lines = result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.map { $0.first } == ["NAME", "a", "b%20c"])
        #expect(lines[1][1...2] == ["\(geteuid())", "wrong_owner"])
        #expect(lines[1][3].hasSuffix("Z"))
        #expect(lines[2][2] == "unknown", "nobody wrote down why")
        #expect(lines[2][4] == "4")
        #expect(!result.output.contains("walrus"))
    }

    @Test("An entry that is put back is the same file, and the drain judges it again")
    func retry() throws {
        try setAside("a", "b")
        let status = try attributes(fixture.directory.file("spool/corrupt/a"))
        let result = try doorbell("retry", "a")
        #expect(result.ending == .exited(0))
        let new = fixture.directory.file("spool/new")
        #expect(result.output == "1 entry put back into \(new), for spool-drain to judge again\n")
        let back = try attributes(fixture.new("a"))
        for key in [FileAttributeKey.systemFileNumber, .ownerAccountID, .posixPermissions, .size] {
            #expect(back[key] as? Int == status[key] as? Int)
        }
        #expect(try fixture.once().ending == .exited(0))
        #expect(try fixture.corrupt() == ["a", "b"], "nothing has changed, so it comes back")
        #expect(try fixture.reasons().count == 3)
    }

    @Test("What was the matter is mended, all are put back, and each becomes a row")
    func all() throws {
        try setAside("a", "b", "c d")
        try trust()
        let daemon = try fixture.start()
        let result = try doorbell("retry", "--all")
        #expect(result.output.hasPrefix("3 entries put back into "))
        try fixture.waitUntilDrained()
        #expect(try Set(fixture.rows()) == ["a", "b", "c d"])
        #expect(try fixture.corrupt().isEmpty)
        #expect(try doorbell("retry", "--all").output.hasPrefix("0 entries put back into "))
        withExtendedLifetime(daemon) {}
    }

    @Test("Where another entry of its name waits it stays set aside, with 75, and the others go")
    func taken() throws {
        try setAside("a", "b")
        try fixture.publish("a", "another")
        let result = try doorbell("retry", "--all")
        #expect(result.ending == .exited(75))
        #expect(result.output.hasPrefix("1 entry put back into "))
        #expect(result.errors.hasPrefix("doorbell: a stays set aside: another entry of its name"))
        #expect(try fixture.corrupt() == ["a"])
        #expect(try String(contentsOfFile: fixture.new("a"), encoding: .utf8) == "another")
    }

    @Test(
        "What isn't in the list can't be put back, the file of the reasons and ways out least of all",
        arguments: ["b", "reasons.log", "../new/a", "..", ".", "", "a%2F"])
    func unknown(name: String) throws {
        try setAside("a")
        let result = try doorbell("retry", name)
        #expect(result.ending == .exited(69))
        #expect(
            result.errors
                == "doorbell: no entry of this name is set aside; see doorbell spool corrupt list\n")
        #expect(try fixture.names(in: "spool/corrupt") == ["a", "reasons.log"])
    }

    @Test("A spool that is missing or open to others is refused as the drain refuses it")
    func unsafe() throws {
        chmod(fixture.directory.file("spool/corrupt"), 0o755)
        let unsafe = try doorbell("list")
        #expect(unsafe.ending == .exited(77))
        #expect(unsafe.errors.contains("/corrupt lets other users in; as root: install -d -m 0700 "))
        try FileManager.default.removeItem(atPath: fixture.directory.file("spool/corrupt"))
        #expect(try doorbell("retry", "--all").ending == .exited(69))
    }

    @Test("Started by root, it puts back another's entry as that other's", Requires.root)
    func asRoot() throws {
        try fixture.giveAway(to: 65_534)
        try fixture.publish("a", DrainFixture.entry(user: "walrus@example.org"))
        #expect(chown(fixture.new("a"), 5, 65_534) == 0)
        #expect(try fixture.once().ending == .exited(0))
        #expect(try doorbell("list").output.contains("\na     5      wrong_owner  "))
        #expect(try doorbell("retry", "a").ending == .exited(0))
        let back = try attributes(fixture.new("a"))
        #expect(back[.ownerAccountID] as? Int == 5)
        #expect(back[.groupOwnerAccountID] as? Int == 65_534)
        #expect(back[.posixPermissions] as? Int == 0o640)
    }
}
