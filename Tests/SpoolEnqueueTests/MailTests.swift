import Foundation
import Spool
import TestSupport
import Testing

@Suite("Any mail rings")
struct MailTests {
    private let hook: Hook

    init() throws { hook = try Hook() }

    private func entry(_ outcome: Hook.Outcome) throws -> SpoolEntry {
        #expect(outcome.ending == .exited(0))
        #expect(outcome.log == [])
        #expect(outcome.entries.count == 1)
        return try SpoolEntry.decode(Array(try #require(outcome.entries.first).utf8))
    }

    @Test("A mail gives one entry: who, where, which and when")
    func plain() throws {
        let before = Int64(Date().timeIntervalSince1970 * 1000)
        let outcome = try hook.run()
        let after = Int64(Date().timeIntervalSince1970 * 1000)
        let entry = try entry(outcome)
        #expect((before...after).contains(entry.at))
        let expected =
            #"{"v":1,"user":"alice","folder":"INBOX","uid":0,"msg_id":"<secret-id@sender.example>","at":\#(entry.at)}"#
        #expect(outcome.entries == [expected + "\n"])
    }

    @Test("Folder, uid and UIDVALIDITY are what the arguments say")
    func arguments() throws {
        let outcome = try hook.run(["--uid", "4271", "--uid-validity", "7", "--", "alice", "-Entwürfe"])
        let entry = try entry(outcome)
        #expect(entry.folder == Array("-Entwürfe".utf8))
        #expect(entry.uid == 4271)
        #expect(entry.uidValidity == 7)
    }

    @Test("What the header says the mail is, and whom it was sent to, is in the entry, and no more of it")
    func marks() throws {
        let mail = """
            From MAILER-DAEMON  Mon Nov 30 04:31:00 2026
            X-Original-To: postmaster@example.org
            Delivered-To: alice@example.org
            Subject: Undelivered Mail Returned to Sender
            List-Id: Swift <swift.example.org>
            Message-ID: <x@y>
            X-Doorbell: no

            X-Spam-Flag: YES

            """
        let outcome = try hook.run(input: Data(mail.utf8))
        let entry = try entry(outcome)
        let expected =
            #"{"v":1,"user":"alice","folder":"INBOX","uid":0,"msg_id":"<x@y>","at":\#(entry.at),"#
            + #""marks":"bounce,asked,list","recipient":"postmaster@example.org"}"#
        #expect(outcome.entries == [expected + "\n"])
    }

    private static let header = "Message-ID: <x@y>\n\n"
    private static let oddMails: [(name: String, mail: Data, messageID: String)] = [
        ("empty", Data(), ""),
        ("a body of 5 MB", Data(header.utf8) + Data(repeating: 0x61, count: 5_000_000), "<x@y>"),
        (
            "a header of 1 MB", Data(("X: " + String(repeating: "h", count: 1_000_000) + "\n" + header).utf8),
            "<x@y>"
        ),
        (
            "a header of 1 MB in lines", Data((String(repeating: "X: y\n", count: 200_000) + header).utf8),
            "<x@y>"
        ),
        ("NUL bytes", Data("A: \u{0}\n\u{0}\u{0}\n\(header)\u{0}".utf8), "<x@y>"),
        ("random bytes", Data((0..<100_000).map { _ in UInt8.random(in: 0x80...0xFF) }), ""),
        ("a From line and CR LF", Data("From a Mon\r\nMESSAGE-ID: <x@y>\r\n\r\n".utf8), "<x@y>"),
        ("a folded Message-ID", Data("Message-ID:\r\n\t<x@y>\r\n\r\n".utf8), "<x@y>"),
        ("an over-long Message-ID", Data("Message-ID: <\(String(repeating: "m", count: 250))>\n\n".utf8), ""),
        (
            "a Message-ID of 1 MB",
            Data("Message-ID: <\(String(repeating: "m", count: 1_000_000))>\n\n".utf8), ""
        ),
        ("two Message-IDs", Data("Message-ID: <x@y>\nMessage-ID: <z@y>\n\n".utf8), "<x@y>"),
        ("a Message-ID in the body only", Data("Subject: a\n\nMessage-ID: <z@y>\n".utf8), ""),
    ]

    @Test("An odd mail rings all the same", arguments: oddMails)
    func odd(name: String, mail: Data, messageID: String) throws {
        let entry = try entry(try hook.run(input: mail))
        #expect(String(decoding: entry.messageID, as: UTF8.self) == messageID)
    }

    @Test(
        "Whatever comes of it, the writer of a big mail gets rid of all of it",
        arguments: [
            ["alice"], [], ["--spool", "/nonexistent", "alice"], ["--unknown"],
            ["--maildir", "/", "--exit", "75", "--filed", "", "alice"],
        ])
    func readsToTheEnd(arguments: [String]) throws {
        let script =
            #"head -c 5000000 /dev/zero | "$@" 2>/dev/null; echo "${PIPESTATUS[0]} ${PIPESTATUS[1]}""#
        let result = try RunningProgram.run(
            "/bin/bash", ["-c", script, "bash", hook.program, "--spool", hook.spool] + arguments)
        #expect(result.output == "0 0\n")
    }

    @Test("Many at once ring once each")
    func parallel() throws {
        let script = #"for i in {1..60}; do printf 'Message-ID: <%s@y>\n\n' $i | "$@" & done; wait"#
        let arguments = [hook.program, "--spool", hook.spool, "alice"]
        _ = try RunningProgram.run("/bin/bash", ["-c", script, "bash"] + arguments)
        let entries = try FileManager.default.contentsOfDirectory(atPath: hook.new)
        #expect(entries.count == 60)
    }
}
