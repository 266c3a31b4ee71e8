import Queue
import Settings
import Testing

@testable import DoorbellCommand

@Suite("The operator's arguments")
struct ArgumentTests {
    private func parse(_ line: String) throws -> DoorbellArguments {
        try DoorbellArguments(line.split(separator: " ").map(String.init))
    }

    @Test(
        "A command is understood",
        arguments: [
            ("--help", .help), ("device add --help", .help), ("--version", .version),
            ("device list", .listDevices), ("device remove 7", .removeDevice(7)),
            ("device remove --all", .removeDevice(nil)),
            ("status", .status(json: false)),
            ("status --json", .status(json: true)),
            (
                "trace 5B0E1D6A-934C-5F27-a851-0cd73e62f419",
                .trace("5b0e1d6a-934c-5f27-a851-0cd73e62f419")
            ),
            ("spool corrupt list", .listCorrupt), ("spool corrupt retry a.b", .retryCorrupt("a.b")),
            ("spool corrupt retry --all", .retryCorrupt(nil)),
            ("device add --user alice", .addDevice(DeviceOptions(user: "alice"))),
            ("device add --user=a=b", .addDevice(DeviceOptions(user: "a=b"))),
        ] as [(String, DoorbellArguments.Command)])
    func commands(line: String, command: DoorbellArguments.Command) throws {
        #expect(try parse(line).command == command)
    }

    @Test("Every option of a device is taken")
    func options() throws {
        let arguments = try DoorbellArguments([
            "device", "add", "--user", "alice", "--topic", "com.example.Mail", "--environment", "sandbox",
            "--platform", "macos", "--label", "Büro Mac", "--folders", "INBOX,Lists/swift", "--app-version",
            "1.2",
            "--locale", "de_CH", "--account-ref", "-x",
        ])
        let expected = DeviceOptions(
            user: "alice", topic: "com.example.Mail", environment: "sandbox", platform: "macos",
            label: "Büro Mac",
            folders: "INBOX,Lists/swift", appVersion: "1.2", locale: "de_CH", accountReference: "-x")
        #expect(arguments.command == .addDevice(expected))
        #expect(expected.enabledFolders == ["INBOX", "Lists/swift"])
    }

    @Test(
        "The configuration may be named before and after the command",
        arguments: ["--config /c status", "status --config=/c"])
    func configuration(line: String) throws {
        #expect(try parse(line).configuration == "/c")
        #expect(try parse("status").configuration == Configuration.defaultPath)
    }

    @Test(
        "What isn't understood is refused with what to do",
        arguments: [
            ("", "no such command"), ("devices", "no such command"), ("device list all", "no such command"),
            ("device add", "--user is missing"), ("device add --user", "its value is missing"),
            ("device add --user alice --sound x", "--sound is no option"),
            ("device add --user alice --environment test", "production or sandbox"),
            ("device add --user alice --platform android", "ios or macos"),
            ("device add --user alice --topic a/b", "a bundle id"),
            ("device add --user alice --folders A,,B", "with a comma between"),
            ("device add --user alice --folder=", "a folder's name"),
            ("device add --user a\u{7}b", "without control characters"),
            ("device add --user=", "1 to 256 bytes"), ("device add --label=", "1 to 255 bytes"),
            ("device add --user alice --label \u{9B}2J", "without control characters"),
            ("device remove", "no such command"), ("device remove x", "needs an id"),
            ("device remove 0", "needs an id"), ("status --json=yes", "takes no value"),
            ("device list --json", "not understood"), ("--json status", "not understood"),
            ("trace", "needs an apns-id"), ("trace --user", "--user"), ("trace 12", "needs an apns-id"),
            ("trace --user alice --last 0", "must be 1 to 10000"), ("status --last 1", "not understood"),
            ("spool corrupt", "no such command"), ("spool corrupt list a", "no such command"),
            ("spool corrupt retry", "needs a name or --all"),
            ("spool corrupt retry a b", "no such command"), ("spool corrupt retry a --all", "not understood"),
            ("spool corrupt retry --all a", "no such command"),
            ("spool corrupt list --all", "not understood"),
            ("trace 5b0e1d6a934c5f27a8510cd73e62f419", "needs an apns-id"),
            ("trace 5b0e1d6a-934c-5f27-a851-0cd73e62f41g", "needs an apns-id"),
            ("trace 5b0e1d6a-934c-5f27-a851-0cd73e62f419 x", "no such command"),
        ])
    func refused(line: String, why: String) {
        let error = #expect(throws: DoorbellArguments.UsageError.self) { try parse(line) }
        #expect(error?.description.contains(why) == true)
    }

    @Test("Blanks beside a comma don't belong to a folder, those inside do")
    func blanks() {
        #expect(
            DeviceOptions(folders: "INBOX, Sent Mail , Work").enabledFolders == [
                "INBOX", "Sent Mail", "Work",
            ])
    }

    @Test("A folder that holds a comma has an option of its own, as often as it takes, and is told in quotes")
    func comma() throws {
        let arguments = try DoorbellArguments([
            "device", "add", "--user", "alice", "--folder", "Müller, Meier", "--folders", "INBOX,Lists",
            "--folder= ",
        ])
        let options = DeviceOptions(
            user: "alice", folders: "INBOX,Lists", namedFolders: ["Müller, Meier", " "])
        #expect(arguments.command == .addDevice(options))
        #expect(options.enabledFolders == ["INBOX", "Lists", "Müller, Meier", " "])
        let device = DeviceRegistration(
            user: "alice", token: [], topic: "", environment: "", enabledFolders: options.enabledFolders)
        #expect(device.folderList == "INBOX,Lists,\"Müller, Meier\", ")
    }

    @Test("trace takes a user instead of an apns-id, and how many wakes")
    func traceUser() throws {
        #expect(try parse("trace --user alice").command == .traceUser("alice", last: 20))
        #expect(try parse("trace --user alice --last 10000").command == .traceUser("alice", last: 10_000))
    }

    @Test("Users and folders may be as long as an entry of the spool has them, and no longer")
    func bounds() throws {
        let user = String(repeating: "u", count: 256)
        let folder = String(repeating: "f", count: 1000)
        let whole = DeviceOptions(user: user, folders: "\(folder),\(folder)")
        #expect(
            try parse("device add --user \(user) --folders \(folder),\(folder)").command == .addDevice(whole))
        #expect(throws: DoorbellArguments.UsageError.self) { try parse("device add --user \(user)u") }
        #expect(throws: DoorbellArguments.UsageError.self) {
            try parse("device add --user \(user) --folders INBOX,\(folder)f")
        }
    }

    @Test("A token given as an argument by mistake isn't repeated")
    func tokenAsArgument() {
        let token = String(repeating: "a1", count: 32)
        for line in ["device add \(token)", "device remove \(token)", "trace \(token)", token] {
            let error = #expect(throws: DoorbellArguments.UsageError.self) { try parse(line) }
            #expect(error?.description.contains(token) == false)
        }
    }
}
