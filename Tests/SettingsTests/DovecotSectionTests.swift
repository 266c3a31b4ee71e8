import Posix
import Testing

@testable import Settings

@Suite("[dovecot]")
struct DovecotSectionTests {
    private func parse(_ keys: String) throws(ConfigurationError) -> Configuration.Dovecot? {
        try Configuration.parse(Array("[dovecot]\n\(keys)".utf8), file: "/d.toml").dovecot
    }

    private static let imap = """
        imap = "127.0.0.1:143"
        master_user = "doorbell"
        password_file = "/p"

        """

    @Test("Without it nobody is asked")
    func absent() throws {
        #expect(try Configuration.parse([], file: "/d.toml").dovecot == nil)
    }

    @Test("IMAP takes a login, doveadm a key, and the bound is 500 ms by itself")
    func both() throws {
        let imap = try #require(try parse(Self.imap))
        #expect(imap.imap?.address == SocketAddress(local: "127.0.0.1:143"))
        #expect(imap.imap?.masterUser == "doorbell")
        #expect(imap.imap?.passwordFile.path == "/p")
        #expect(imap.doveadm == nil)
        #expect(imap.bound == .milliseconds(500))
        #expect(imap.domain == nil)
        let both = try #require(
            try parse(Self.imap + "doveadm = \"[::1]:8080\"\napi_key_file = \"/k\"\nbound = \"2s\""))
        #expect(both.doveadm?.address == SocketAddress(local: "[::1]:8080"))
        #expect(both.doveadm?.keyFile.path == "/k")
        #expect(both.bound == .seconds(2))
        #expect(try parse(Self.imap + "domain = \"example.org\"")?.domain == "example.org")
        #expect(try parse("doveadm = \"/run/d\"\napi_key_file = \"/k\"")?.imap == nil)
    }

    @Test("Whoever isn't on this machine isn't asked: nothing is encrypted")
    func elsewhere() {
        for place in [
            "192.0.2.1:143", "mail.example.org:143", "localhost:143", "127.0.0.1", "127.0.0.1:0",
            "127.0.0.1:65536",
            "127.0.0.1:+1", "[::]:143", "run/imap", "", "/" + String(repeating: "a", count: 107),
        ] {
            #expect {
                try parse("imap = \"\(place)\"")
            } throws: {
                "\($0)"
                    == "/d.toml:2:1: dovecot.imap: must be 127.0.0.1:PORT, [::1]:PORT or the absolute path of a "
                    + "socket: it isn't encrypted"
            }
        }
    }

    private static let faults = [
        ("", "/d.toml:1:2: dovecot: names nobody to ask: it needs imap or doveadm"),
        ("imap = \"/i\"", "/d.toml:1:2: dovecot.master_user: is missing; it must be 1 to 255 visible"),
        (
            "imap = \"/i\"\nmaster_user = \"d\"",
            "/d.toml:1:2: dovecot.password_file: is missing; it must be an"
        ),
        ("doveadm = \"/i\"", "/d.toml:1:2: dovecot.api_key_file: is missing; it must be an absolute path"),
        (
            "imap = \"/i\"\nmaster_user = \"a b\"",
            "/d.toml:3:1: dovecot.master_user: must be 1 to 255 visible"
        ),
        (
            "imap = \"/i\"\ndomain = \"@example.org\"",
            "/d.toml:3:1: dovecot.domain: must be a domain: 1 to 255 letters"
        ),
        ("imap = \"/i\"\npassword = \"x\"", "/d.toml:3:1: dovecot.password: is not a known key"),
    ]

    @Test("What is missing or wrong is named in one line", arguments: faults)
    func fault(keys: String, fault: String) {
        #expect { try parse(keys) } throws: { "\($0)".hasPrefix(fault) }
    }

    @Test(
        "The bound is from 10 ms to 10 s", arguments: ["9ms", "11s", "0.5s", "500", "-20ms", "+20ms", "ms"])
    func bound(text: String) {
        #expect {
            try parse("imap = \"/i\"\nbound = \"\(text)\"")
        } throws: {
            "\($0)"
                == "/d.toml:3:1: dovecot.bound: must be a duration like \"500ms\" or \"2s\", from 10ms to 10s"
        }
    }

    @Test("Milliseconds are no unit of what lasts seconds at least")
    func coarse() {
        #expect(throws: ConfigurationError.self) {
            try Configuration.parse(Array("[spool]\nrescan = \"1500ms\"".utf8), file: "/d.toml")
        }
    }
}
