import APNs
import Foundation
import TOML
import TestSupport
import Testing

@testable import Settings

struct ConfigurationTests {
    private func parse(_ text: String) throws(ConfigurationError) -> Configuration {
        try Configuration.parse(Array(text.utf8), file: "/etc/doorbell/doorbell.toml")
    }

    private func fault(_ text: String) -> String? {
        do throws(ConfigurationError) {
            _ = try parse(text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("An empty file is a whole configuration that sends nothing")
    func defaults() throws {
        let configuration = try parse("")
        #expect(
            configuration
                == Configuration(
                    file: "/etc/doorbell/doorbell.toml",
                    spool: .init(directory: "/var/spool/doorbell", trustedUIDs: [0], rescan: .seconds(60)),
                    queue: .init(
                        path: "/var/lib/doorbell/doorbell.db", maxAge: .seconds(3600),
                        expiration: .seconds(86_400)),
                    quiet: .init(
                        kinds: [.spam, .bounce, .report], junkFolders: ["Junk", "Spam"], recipients: []),
                    push: nil, pushIsDisabledBecause: "the configuration has no [push] section",
                    deviceDefaults: .init(topic: nil, environment: .production), dovecot: nil,
                    metrics: .init(directory: nil),
                    retention: .init(push: .seconds(7 * 86_400))))
        #expect(configuration.queue.directory == "/var/lib/doorbell")
    }

    @Test("A database in the root directory has that as its directory")
    func rootDirectory() throws {
        #expect(try parse("[queue]\npath = \"/doorbell.db\"").queue.directory == "/")
    }

    @Test("Every key is taken over")
    func everyKey() throws {
        let configuration = try parse(
            """
            [spool]
            directory = "/s"
            trusted_uids = [0, 5000]
            rescan = "1h"
            [queue]
            path = "/q/d.db"
            max_age = "30m"
            expiration = "2d"
            [quiet]
            kinds = ["list", "bulk"]
            junk_folders = ["Müll", "Junk E-Mail"]
            recipients = ["root", "@example.org"]
            [push]
            enabled = true
            key_file = "/k.p8"
            key_id = "ABC123DEFG"
            team_id = "ZCNAX3VL9D"
            topic = "com.example.Mail"
            environment = "sandbox"
            port = 2197
            ca_file = "/ca.pem"
            [metrics]
            directory = "/m"
            [retention]
            push = "90s"
            """)
        #expect(
            configuration.spool == .init(directory: "/s", trustedUIDs: [0, 5000], rescan: .seconds(3600)))
        #expect(
            configuration.queue
                == .init(path: "/q/d.db", maxAge: .seconds(1800), expiration: .seconds(2 * 86_400)))
        #expect(
            configuration.quiet
                == .init(
                    kinds: [.list, .bulk], junkFolders: ["Müll", "Junk E-Mail"],
                    recipients: ["root", "@example.org"]))
        let push = try #require(configuration.push)
        #expect(push.keyFile.path == "/k.p8")
        #expect(push.keyID == "ABC123DEFG")
        #expect(push.teamID == "ZCNAX3VL9D")
        #expect(push.topic == "com.example.Mail")
        #expect(push.environment == .sandbox)
        #expect(push.port == 2197)
        #expect(push.caFile?.path == "/ca.pem")
        #expect(configuration.pushIsDisabledBecause == nil)
        #expect(configuration.deviceDefaults == .init(topic: "com.example.Mail", environment: .sandbox))
        #expect(configuration.metrics == .init(directory: "/m"))
        #expect(configuration.retention == .init(push: .seconds(90)))
    }

    @Test("A disabled push section may be unfinished; its topic and environment still serve new devices")
    func disabled() throws {
        let configuration = try parse(
            "[push]\nenabled = false\nkey_id = \"\"\ntopic = \"com.example.Mail\"\nenvironment = \"sandbox\"\n"
        )
        #expect(configuration.push == nil)
        #expect(configuration.pushIsDisabledBecause == "[push] says enabled = false")
        #expect(configuration.deviceDefaults == .init(topic: "com.example.Mail", environment: .sandbox))
    }

    private static let push = """
        [push]
        enabled = true
        key_file = "/k.p8"
        key_id = "ABC123DEFG"
        team_id = "ZCNAX3VL9D"
        topic = "com.example.Mail"
        """

    @Test("An enabled push section goes to production and port 443 by itself")
    func pushDefaults() throws {
        let push = try #require(try parse(Self.push).push)
        #expect(push.environment == .production)
        #expect(push.port == 443)
        #expect(push.caFile == nil)
        let unsaid = Self.push.replacingOccurrences(of: "enabled = true", with: "")
        #expect(try parse(unsaid).push == push)
    }

    @Test(
        "An enabled push section that lacks a key is refused, naming file, line and key",
        arguments: ["key_file", "key_id", "team_id", "topic"])
    func missing(key: String) throws {
        let lines = Self.push.split(separator: "\n").filter { !$0.hasPrefix("\(key) ") }
        let complaint = try #require(fault(lines.joined(separator: "\n")))
        #expect(complaint.hasPrefix("/etc/doorbell/doorbell.toml:1:2: push.\(key): is missing; it must be "))
    }

    @Test(
        "A misspelt key is reported as itself, not as another one missing",
        arguments: ["key_file", "key_id", "team_id", "topic"])
    func misspelt(key: String) {
        let text = Self.push.replacingOccurrences(of: "\n\(key) ", with: "\nx\(key) ")
        let line = text.split(separator: "\n").firstIndex { $0.hasPrefix("x") }.map { $0 + 1 } ?? 0
        #expect(fault(text) == "/etc/doorbell/doorbell.toml:\(line):1: push.x\(key): is not a known key")
    }

    @Test(
        "A wrong value is refused, naming line, key and what would be right",
        arguments: [
            ("key_file = \"apns.p8\"", "push.key_file: must be an absolute path without a slash at the end"),
            ("key_id = \"ABC123DEF\"", "push.key_id: must be Apple's 10 capital letters and digits"),
            ("key_id = \"abc123defg\"", "push.key_id: must be Apple's 10 capital letters and digits"),
            ("team_id = 1234567890", "push.team_id: must be Apple's 10 capital letters and digits"),
            ("topic = \"\"", "push.topic: must be a bundle id: 1 to 255 letters, digits, dots and hyphens"),
            (
                "topic = \"a b\"",
                "push.topic: must be a bundle id: 1 to 255 letters, digits, dots and hyphens"
            ),
            ("environment = \"development\"", "push.environment: must be \"production\" or \"sandbox\""),
            (
                "environment = \"https://api.push.apple.com\"",
                "push.environment: must be \"production\" or \"sandbox\""
            ),
            ("port = 8443", "push.port: must be 443 or 2197, Apple's two ports"),
            ("port = 70000", "push.port: must be 443 or 2197, Apple's two ports"),
            ("enabled = \"yes\"", "push.enabled: must be true or false"),
            ("ca_file = \"\"", "push.ca_file: must be an absolute path without a slash at the end"),
            ("host = \"127.0.0.1\"", "push.host: is not a known key"),
        ])
    func wrongPush(line: String, complaint: String) {
        let key = line.prefix { $0 != " " }
        let lines = Self.push.split(separator: "\n").filter { !$0.hasPrefix("\(key) ") }
        let text = lines.joined(separator: "\n") + "\n" + line
        #expect(fault(text) == "/etc/doorbell/doorbell.toml:\(lines.count + 1):1: \(complaint)")
    }

    private static let kinds = #""spam" or "bounce" or "report" or "list" or "bulk""#
    private static let folders = "folder names: 1 to 1000 bytes without control characters"
    private static let addresses = "addresses, such as root, @example.org or root@example.org"
    private static let duration = "must be a duration like \"90s\", \"5m\", \"1h\" or \"7d\", from 1s to"

    @Test(
        "Hazard 36: wrong values outside push, zero and negative ones among them, are refused the same way",
        arguments: [
            (
                "[spool]\n directory = \"spool\"",
                "2:2: spool.directory: must be an absolute path without a slash at the end"
            ),
            (
                "[spool]\ndirectory = \"/s/\"",
                "2:1: spool.directory: must be an absolute path without a slash at the end"
            ),
            ("[spool]\ntrusted_uids = [-1]", "2:1: spool.trusted_uids: must be a list of user ids"),
            ("[spool]\ntrusted_uids = [4294967295]", "2:1: spool.trusted_uids: must be a list of user ids"),
            ("[spool]\ntrusted_uids = 0", "2:1: spool.trusted_uids: must be a list of user ids"),
            ("[spool]\nrescan = 60", "2:1: spool.rescan: \(duration) 1d"),
            ("[spool]\nrescan = \"0s\"", "2:1: spool.rescan: \(duration) 1d"),
            ("[spool]\nrescan = \"500ms\"", "2:1: spool.rescan: \(duration) 1d"),
            ("[queue]\nmax_age = \"-1h\"", "2:1: queue.max_age: \(duration) 30d"),
            ("[queue]\nexpiration = \"31d\"", "2:1: queue.expiration: \(duration) 30d"),
            ("[queue]\nexpiration = \"999999999999999999d\"", "2:1: queue.expiration: \(duration) 30d"),
            ("[quiet]\nkinds = [\"spam\", \"bounces\"]", "2:1: quiet.kinds: must be a list of \(kinds)"),
            ("[quiet]\nkinds = \"spam\"", "2:1: quiet.kinds: must be a list of \(kinds)"),
            ("[quiet]\njunk_folders = [\"\"]", "2:1: quiet.junk_folders: must be a list of \(folders)"),
            (
                "[quiet]\njunk_folders = [\"a\\u009b\"]",
                "2:1: quiet.junk_folders: must be a list of \(folders)"
            ),
            ("[quiet]\njunk_folders = [7]", "2:1: quiet.junk_folders: must be a list of \(folders)"),
            ("[quiet]\nrecipients = [\"a b\"]", "2:1: quiet.recipients: must be a list of \(addresses)"),
            ("[quiet]\nrecipients = [\"@\"]", "2:1: quiet.recipients: must be a list of \(addresses)"),
            ("[quiet]\nrecipients = [\"root@\"]", "2:1: quiet.recipients: must be a list of \(addresses)"),
            ("[quiet]\nrecipients = [\"*@a.b\"]", "2:1: quiet.recipients: must be a list of \(addresses)"),
            ("[quiet]\nrecipients = [\"a@b,c@d\"]", "2:1: quiet.recipients: must be a list of \(addresses)"),
            ("[quiet]\nspam = true", "2:1: quiet.spam: is not a known key"),
            ("[retention]\npush = \"+1d\"", "2:1: retention.push: \(duration) 3650d"),
            (
                "[metrics]\ndirectory = true",
                "2:1: metrics.directory: must be an absolute path without a slash at the end"
            ),
            ("spool = 1", "1:1: spool: must be a table"),
            ("[[push]]", "1:3: push: must be a table"),
            ("[queue]\nmaxage = \"1h\"", "2:1: queue.maxage: is not a known key"),
            ("[pusch]\nenabled = true", "1:2: pusch: is not a known key"),
            ("trusted_uids = [0]\n[queue]", "1:1: trusted_uids: is not a known key"),
        ])
    func wrongElsewhere(text: String, complaint: String) {
        #expect(fault(text) == "/etc/doorbell/doorbell.toml:\(complaint)")
    }

    @Test("Of several unknown keys the first in the file is named")
    func firstUnknown() {
        #expect(
            fault("[spool]\nzebra = 1\nape = 2")
                == "/etc/doorbell/doorbell.toml:2:1: spool.zebra: is not a known key")
    }

    @Test("What isn't TOML is refused with line and column in one line")
    func notTOML() throws {
        let complaint = try #require(fault("[spool]\nrescan = 1m\n"))
        #expect(complaint.hasPrefix("/etc/doorbell/doorbell.toml:2:"))
        #expect(!complaint.contains("\n"))
    }

    @Test("A file that can't be read is named with the reason")
    func unreadable() {
        #expect {
            try Configuration.load("/nonexistent/doorbell.toml")
        } throws: {
            "\($0)" == "/nonexistent/doorbell.toml: No such file or directory; --config names another"
        }
    }

    @Test(
        "A file that others than its owner can write is refused with the command that mends it",
        arguments: [(0o664, true), (0o646, true), (0o644, false), (0o640, false), (0o755, false)])
    func writable(mode: Int, isRefused: Bool) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("doorbell.toml", "", mode: mode)
        guard isRefused else {
            #expect(throws: Never.self) { try Configuration.load(file) }
            return
        }
        #expect {
            try Configuration.load(file)
        } throws: {
            "\($0)" == "\(file): can be written by others than its owner; as root: chmod go-w \(file)"
        }
    }

    @Test("A file in whose place every user can put another one is refused with the command that mends it")
    func replaceable() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("doorbell.toml", "")
        chmod(directory.path, 0o777)
        #expect {
            try Configuration.load(file)
        } throws: {
            "\($0)".hasSuffix(" lets every user replace what is in it; as root: chmod o-w \(directory.path)")
        }
    }

    @Test("A file without end is refused")
    func endless() {
        #expect {
            try Configuration.load("/dev/zero")
        } throws: {
            "\($0)" == "/dev/zero: is larger than 1048576 bytes"
        }
    }

    @Test("The configuration that ships sends nothing until it is enabled, and shows the defaults")
    func shipped() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../configuration/doorbell.toml").standardized.path
        #expect(try Configuration.load(file).push == nil)

        let text = try String(contentsOfFile: file, encoding: .utf8)
            .replacing("enabled = false\n", with: "enabled = true\n")
        let shipped = try Configuration.parse(Array(text.utf8), file: file)
        #expect(shipped.push?.keyFile.path == "/etc/doorbell/apns.p8")
        let uncommented = text.replacing(#/(?m)^#(?=[a-z_]+ = )/#, with: "")
        #expect(uncommented != text)
        let explicit = try Configuration.parse(Array(uncommented.utf8), file: file)
        #expect(explicit.spool == shipped.spool)
        #expect(explicit.queue == shipped.queue)
        #expect(explicit.quiet == shipped.quiet)
        #expect(explicit.retention == shipped.retention)
        #expect(explicit.push?.port == shipped.push?.port)
        #expect(explicit.push?.environment == shipped.push?.environment)
        #expect(explicit.push?.caFile?.path == "/etc/doorbell/roots.pem")
    }
}
