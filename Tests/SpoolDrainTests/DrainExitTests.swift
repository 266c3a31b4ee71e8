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

    @Test("A spool that others can list ends it with 77 and the command that mends it")
    func unsafe() throws {
        chmod(fixture.new(""), 0o3737)
        let result = try fixture.once()
        #expect(result.ending == .exited(77))
        #expect(result.errors.contains("/new lets everybody list it; as root: install -d -m 3733 "))
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
        #expect(try fixture.once().errors == "")
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
