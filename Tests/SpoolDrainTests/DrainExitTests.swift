import Foundation
import TestSupport
import Testing

struct DrainExitTests {
    private let fixture: DrainFixture

    init() throws { fixture = try DrainFixture() }

    private func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: fixture.directory.file(name))
    }

    @Test("A wrong configuration ends it with 78 and one line that names file, line, key and fault")
    func configuration() throws {
        try fixture.directory.write("doorbell.toml", "[spool]\nrescan = \"now\"\n")
        let result = try fixture.once()
        #expect(result.ending == .exited(78))
        #expect(
            result.errors.contains(" error: \(fixture.configuration):2:1: spool.rescan: must be a duration"))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test("A key file that the drain can't read is none of its business")
    func keyFile() throws {
        let text = try String(contentsOfFile: fixture.configuration, encoding: .utf8)
        try fixture.directory.write(
            "doorbell.toml",
            text + """

                [push]
                key_file = "/nonexistent/apns.p8"
                key_id = "ABC123DEFG"
                team_id = "ZCNAX3VL9D"
                topic = "com.example.Mail"
                """)
        #expect(try fixture.once().ending == .exited(0))
    }

    @Test(
        "A missing directory ends it with a line that ends with the command that makes it",
        arguments: [
            ("spool/new", Int32(69), "install -d -m 3733 "), ("spool/corrupt", 69, "install -d -m 0700 "),
            ("state", 73, "install -d -m 2770 "),
        ])
    func missing(name: String, code: Int32, cure: String) throws {
        try remove(name)
        let result = try fixture.once()
        #expect(result.ending == .exited(code))
        #expect(result.errors.contains("; as root: \(cure)"))
        #expect(result.errors.hasSuffix(" \(fixture.directory.file(name))\n"))
    }

    @Test(
        "What other users could get at ends it with one line and the command, after which it starts",
        arguments: [
            ("spool/new", 0o3737, 77, "lets everybody list it", "install -d -m 3733 "),
            ("spool/new", 0o733, 77, "lets users remove each other's entries", "install -d -m 3733 "),
            ("spool/corrupt", 0o750, 77, "lets other users in", "install -d -m 0700 "),
            ("spool", 0o777, 77, "lets every user replace what is in it", "chmod o-w "),
            ("state", 0o2775, 77, "lets other users in", "chmod o-rwx "),
            ("state", 0o2771, 77, "lets other users in", "chmod o-rwx "),
            ("state/doorbell.db", 0o666, 77, "can be written by every user", "chmod o-w "),
            ("state/drain.lock", 0o662, 77, "can be written by every user", "chmod o-w "),
            ("state/dispatch.wake", 0o622, 77, "can be written by every user", "chmod o-w "),
            ("doorbell.toml", 0o664, 78, "can be written by others than its owner", "chmod go-w "),
            ("", 0o703, 78, "lets every user replace what is in it", "chmod o-w "),
        ] as [(String, mode_t, Int32, String, String)])
    func unsafePlaces(name: String, mode: mode_t, code: Int32, what: String, cure: String) throws {
        #expect(try fixture.once().ending == .exited(0))
        let path = name.isEmpty ? fixture.directory.path : fixture.directory.file(name)
        chmod(path, mode)
        let refused = try fixture.once()
        #expect(refused.ending == .exited(code))
        let lines = DrainFixture.lines(of: refused)
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(
            line.contains(
                "\(path)\(code == 78 && name.hasSuffix("toml") ? ":" : "") \(what); as root: \(cure)"))
        #expect(line.hasSuffix(" \(path)"))

        let command = line[try #require(line.range(of: "; as root: ")).upperBound...]
        #expect(system(String(command)) == 0)
        #expect(try fixture.once().ending == .exited(0))
    }

    @Test(
        "A spool in which users can't add entries is told once, with the command that mends it, and is drained",
        arguments: [0o700, 0o3730, 0o3732, 0o3731])
    func narrow(mode: mode_t) throws {
        try fixture.publish("a")
        chmod(fixture.new(""), mode)
        let result = try fixture.once()
        #expect(result.ending == .exited(0))
        let path = fixture.directory.file("spool/new")
        let warning =
            " warning: \(path) has mode \(String(mode, radix: 8)): hooks of other users can't add entries; "
            + "as root: chmod 3733 \(path)\n"
        #expect(result.errors.components(separatedBy: warning).count == 2)
        #expect(try fixture.rows() == ["a"])
    }

    @Test("A spool in which users can add entries is nothing to tell")
    func wide() throws {
        #expect(DrainFixture.lines(of: try fixture.once()).isEmpty)
    }

    @Test("A queue that is no database ends it with the queue's code and leaves the spool alone")
    func notAQueue() throws {
        try fixture.publish("a")
        try fixture.directory.write("state/doorbell.db", String(repeating: "mail ", count: 1000))
        #expect(try fixture.once().ending == .exited(74))
        #expect(try fixture.names(in: "spool/new") == ["a"])
    }

    @Test("Wrong arguments end it with 64, questions with 0 and an answer on standard output")
    func arguments() throws {
        let program = try BuiltProgram.path("spool-drain")
        #expect(try RunningProgram.run(program, ["--bogus"]).ending == .exited(64))
        let help = try RunningProgram.run(program, ["--help"])
        #expect(help.ending == .exited(0))
        #expect(help.output.hasPrefix("usage: spool-drain [--config FILE] [--once]\n"))
        #expect(try RunningProgram.run(program, ["--version"]).output.hasPrefix("spool-drain "))
    }
}
