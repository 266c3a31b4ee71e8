import Foundation
import JSON
import TestSupport
import Testing

@Suite("A mail program with Doorbell's file rings, and files the mail whatever the hook does", Requires.root)
struct ProducerTests {
    private let site: Site

    init() throws { site = try Site(inVillage: true) }

    private func isFiledOnce(_ mail: Mail) throws -> Bool {
        try site.copies(of: mail, with: site.recipient) == 1
    }

    /// Whether the mail has come back to its sender: a bounce quotes it.
    private func hasBounced(_ mail: Mail) throws -> Bool {
        let village = try #require(site.village)
        return try site.copies(of: mail, with: village.ben) > 0
    }

    @Test("It rings for a mail that it files, and the drain takes the entry", arguments: Producer.waiting)
    func rings(producer: Producer) throws {
        let program = try producer.start(at: site)
        let mail = Mail()
        try program.deliver(mail)
        #expect(try isFiledOnce(mail))

        let entries = try site.waitingEntries()
        try #require(entries.count == 1)
        #expect(entries[0].owner == site.recipient.uid)
        #expect(entries[0].mode == 0o640)
        #expect(entries[0].content["user"]?.string == site.recipient.name)
        #expect(entries[0].content["folder"]?.string == "INBOX")
        let messageID = producer == .mailboxCommand ? "" : "<\(mail.messageID)>"
        #expect(entries[0].content["msg_id"]?.string == messageID)
        #expect(entries[0].content["uid"]?.integer == (producer == .lua ? 1 : 0))
        #expect(try site.drainTakesAll())
    }

    @Test(
        "A hook that is missing, fails, crashes or hangs: the mail is filed once within 5 s, and nobody hears of it",
        arguments: Producer.ofHook)
    func faults(producer: Producer) throws {
        let program = try producer.start(at: site)
        for fault in HookFault.allCases {
            try fault.replaceHook(of: site)
            let mail = Mail()
            let start = ContinuousClock.now
            try program.deliver(mail)
            let time = ContinuousClock.now - start
            #expect(time < .seconds(5), "\(fault)")
            #expect(try isFiledOnce(mail), "\(fault)")
            #expect(try program.unfinished() == "", "\(fault)")
            #expect(try !hasBounced(mail), "\(fault)")
        }
        #expect(try site.waitingEntries().isEmpty)
    }

    @Test("maildrop hands a folder's name over as one word, whatever it holds")
    func maildropFolder() throws {
        let name = #"Lists $(touch pwned) `touch pwned` 'a' "b"; touch pwned"#
        let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let maildrop = try Maildrop(at: site, filter: "DOORBELL_FOLDER=\"\(escaped)\"\nINCLUDE")
        try maildrop.deliver(Mail())
        #expect(try site.waitingFolders() == [name])
        #expect(!FileManager.default.fileExists(atPath: site.recipient.home + "/pwned"))
    }

    @Test("maildrop files the mail when Doorbell's file isn't there")
    func maildropWithoutFile() throws {
        let maildrop = try Maildrop(at: site)
        try FileManager.default.removeItem(atPath: site.shipped("maildrop/doorbell.mailfilter"))
        let mail = Mail()
        try maildrop.deliver(mail)
        #expect(try isFiledOnce(mail))
        #expect(try site.waitingEntries().isEmpty)
    }

    @Test("Sieve rings for what the user's script keeps, and not for what it files elsewhere or discards")
    func sieve() throws {
        let program = try Producer.sieve.start(at: site)
        for (script, folders) in [
            (#"require ["fileinto", "mailbox"]; fileinto :create "Lists";"#, []), ("discard;", []),
            ("a fault;", []), (#"require "vnd.dovecot.pipe"; pipe "doorbell-ring" ["ben"];"#, []),
            ("keep;", ["INBOX"]), ("", ["INBOX", "INBOX"]),
        ] {
            try site.writeHomeFile(".dovecot.sieve", script, of: site.recipient)
            try program.deliver(Mail())
            #expect(try site.waitingFolders() == folders, "\(script)")
        }
    }
}
