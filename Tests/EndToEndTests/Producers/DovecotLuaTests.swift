import Foundation
import JSON
import TestSupport
import Testing

@Suite("Dovecot's script names the folder and uid that it gave a mail", Requires.root)
struct DovecotLuaTests {
    private let site: Site
    private let dovecot: DovecotServer

    init() throws {
        site = try Site(inVillage: true)
        dovecot = try DovecotServer(at: site, including: ["dovecot/lua.conf", "dovecot/archive.conf"])
    }

    private static let folders = [
        "INBOX", "Lists.Swift Users", #"a "quoted" \ name"#, "Entwürfe", "日本語", "🔔 & co", "%s%n $(id)",
    ]

    @Test("Whatever a folder is called, the mail is there under that uid and UIDVALIDITY")
    func folder() throws {
        let user = ["-u", site.recipient.name]
        for name in Self.folders + Self.folders {
            let mail = Mail()
            let filed = try dovecot.lda(mail.text, as: site.recipient, folder: name)
            try #require(filed.ending == .exited(0), "\(filed.errors)")
            let id = "<\(mail.messageID)>"
            let entries = try site.waitingEntries().map(\.content)
            let entry = try #require(entries.first { $0["msg_id"]?.string == id })
            #expect(entry["folder"]?.string == name)
            let uid = try #require(entry["uid"]?.integer)
            let found = try dovecot.doveadm(
                ["fetch"] + user + ["hdr.message-id", "mailbox", name, "uid", "\(uid)"])
            #expect(found == "hdr.message-id=\(id)", "\(name)")
            let status = try dovecot.doveadm(["mailbox", "status"] + user + ["uidvalidity", name])
            let uidValidity = try #require(entry["uid_validity"]?.integer)
            #expect(status.hasSuffix("uidvalidity=\(uidValidity)"), "\(name)")
        }
        #expect(try site.drainTakesAll())
    }

    @Test(
        "A folder whose name no entry may have: the mail is saved there, and one line says why",
        arguments: ["a\u{7F}b", "a\u{85}b"])
    func unprintable(folder: String) throws {
        let mail = Mail()
        let filed = try dovecot.lda(mail.text, as: site.recipient, folder: folder)
        #expect(filed.ending == .exited(0))
        #expect(filed.errors.contains("the folder's name is not printable UTF-8; this mail does not ring"))
        #expect(try site.copies(of: mail, with: site.recipient) == 1)
        #expect(try site.waitingEntries().isEmpty)
    }

    @Test("A mail that Dovecot delivers rings the phone at once, with its uid and UIDVALIDITY")
    func phone() throws {
        try site.addDevice("a1")
        try site.startDrain()
        try site.startDispatch()
        #expect(try dovecot.deliver(Mail().text, to: "ana").ending == .exited(0))
        let request = try site.apple.waitForRequests(1)[0]
        let status = try dovecot.doveadm(["mailbox", "status", "-u", "ana", "uidvalidity", "INBOX"])
        let uidValidity = try #require(status.split(separator: "=").last)
        #expect(
            request.body.hasSuffix(#""msgRef":{"folder":"INBOX","uid":1,"uidValidity":\#(uidValidity)}}"#))
        #expect(request.header("apns-collapse-id") == "INBOX:1")
    }

    @Test("One mail for two users gives each an entry of their own, which the drain takes")
    func twoRecipients() throws {
        let delivered = try dovecot.deliver(Mail().text, to: "ana", "ben+Lists")
        #expect(delivered.ending == .exited(0), "\(delivered.output)")
        let entries = try site.waitingEntries()
        #expect(Set(entries.map { $0.content["user"]?.string }) == ["ana", "ben"])
        #expect(Set(entries.map { $0.content["folder"]?.string }) == ["INBOX", "Lists"])
        #expect(Set(entries.map(\.owner)) == [site.village?.ana.uid, site.village?.ben.uid])
        #expect(try site.drainTakesAll())
    }

    private static let messageIDs = [
        (#"<a"b\c@x>"#, #"<a"b\c@x>"#), ("<a b@x>", ""), ("<\(String(repeating: "a", count: 260))@x>", ""),
        ("<ü@x>", ""),
    ]

    @Test("A Message-ID that is no use reads as none, and the mail rings")
    func messageID() throws {
        for (inMail, inEntry) in Self.messageIDs {
            let mail = "From: a@example.org\nMessage-ID: \(inMail)\n\nbody\n"
            #expect(try dovecot.deliver(mail, to: "ana").ending == .exited(0))
            let entry = try #require(try site.waitingEntries().last)
            #expect(entry.content["msg_id"]?.string == inEntry, "\(inMail)")
        }
        #expect(try site.drainTakesAll())
    }

    @Test("An entry's name sorts by time, within a second by uid, and ends in 64 random bits")
    func names() throws {
        for _ in 1...4 { try #require(try dovecot.deliver(Mail().text, to: "ana").ending == .exited(0)) }
        let entries = try site.waitingEntries()
        #expect(entries.map { $0.content["uid"]?.integer } == [1, 2, 3, 4])
        #expect(entries.allSatisfy { $0.name.wholeMatch(of: #/[0-9]{16}\.[0-9a-f]{16}/#) != nil })
        #expect(Set(entries.map { $0.name.suffix(16) }).count == 4)
    }

    private func curl(_ arguments: [String], folder: String = "") throws -> RunningProgram.Result {
        let imap = "imap://127.0.0.1:\(dovecot.imapPort)/\(folder)"
        return try site.run(["/usr/bin/curl", "--silent", "--user", "ana:secret"] + arguments + [imap])
    }

    @Test("What a client appends rings nobody")
    func client() throws {
        let mail = Mail()
        let file = try site.directory.write("mail.txt", mail.text)
        #expect(try curl(["--upload-file", file], folder: "INBOX").ending == .exited(0))
        #expect(try site.copies(of: mail, with: site.recipient) == 1)
        #expect(try site.waitingEntries().isEmpty)
    }

    @Test("Every account has a mailbox marked as the archive")
    func archive() throws {
        let listed = try curl(["--request", #"LIST "" * RETURN (SPECIAL-USE)"#])
        #expect(listed.output.contains(#"(\Archive) "." Archive"#))
    }

    /// What can be wrong with the spool, as shell commands in its directory.
    private static let troubles = [
        ("rm -r new", "No such file or directory"), ("chmod 0700 new", "Permission denied"),
        ("rm -r new; touch new", "Not a directory"),
    ]

    @Test("A spool that can't be used: the mail is saved, and one line says why", arguments: troubles)
    func trouble(command: String, reason: String) throws {
        try site.run(["/bin/sh", "-ec", "cd \"$0\"; \(command)", site.spoolDirectory])
        let mail = Mail()
        #expect(try dovecot.deliver(mail.text, to: "ana").ending == .exited(0))
        #expect(try site.copies(of: mail, with: site.recipient) == 1)
        let lines = try dovecot.log().split(separator: "\n").filter { $0.contains("doorbell: ") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(reason) == true)
        #expect(lines.first?.contains(mail.messageID) == false)
    }

    @Test("A full disk: the mail is saved, and nothing is left of the entry")
    func fullDisk() throws {
        let site = try Site(inVillage: true, disk: (.small(16), "var"))
        let dovecot = try DovecotServer(at: site, including: ["dovecot/lua.conf"])
        let fill = "dd if=/dev/zero of=\(site.directory.file("var/fill")) bs=1k"
        try site.run(["/bin/sh", "-c", fill])
        let mail = Mail()
        #expect(try dovecot.deliver(mail.text, to: "ana").ending == .exited(0))
        #expect(try site.copies(of: mail, with: site.recipient) == 1)
        #expect(try dovecot.log().contains("doorbell: No space left on device"))
        #expect(try site.run(["/bin/ls", "-A", site.spoolDirectory + "/new"]).output == "")
    }

    @Test("A script that is missing or broken: the mail is saved", arguments: [nil, "no script("])
    func noScript(text: String?) throws {
        let path = site.shipped("dovecot/doorbell.lua")
        try FileManager.default.removeItem(atPath: path)
        try text?.write(toFile: path, atomically: false, encoding: .utf8)
        let mail = Mail()
        #expect(try dovecot.deliver(mail.text, to: "ana").ending == .exited(0))
        #expect(try site.copies(of: mail, with: site.recipient) == 1)
        #expect(try site.waitingEntries().isEmpty)
    }
}
