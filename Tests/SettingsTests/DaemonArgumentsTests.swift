import Settings
import Testing

struct DaemonArgumentsTests {
    @Test(
        "Arguments are understood in any order",
        arguments: [
            ([], .run(configuration: "/etc/doorbell/doorbell.toml", once: false)),
            (["--once"], .run(configuration: "/etc/doorbell/doorbell.toml", once: true)),
            (["--config", "/c", "--once"], .run(configuration: "/c", once: true)),
            (["--once", "--config", "--help"], .run(configuration: "--help", once: true)),
            (["--once", "--help"], .help), (["--version"], .version),
        ] as [([String], DaemonArguments)])
    func understood(arguments: [String], meaning: DaemonArguments) throws {
        #expect(try DaemonArguments.parse(arguments, of: "spool-drain") == meaning)
    }

    @Test(
        "What makes no sense is named",
        arguments: [
            (["--config"], "--config needs a file; see spool-drain --help"),
            (["--twice"], "unknown argument --twice; see spool-drain --help"),
            (["/etc/doorbell.toml"], "unknown argument /etc/doorbell.toml; see spool-drain --help"),
        ])
    func refused(arguments: [String], complaint: String) {
        #expect {
            try DaemonArguments.parse(arguments, of: "spool-drain")
        } throws: {
            "\($0)" == complaint
        }
    }
}
