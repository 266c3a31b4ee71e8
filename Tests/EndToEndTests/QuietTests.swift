import Foundation
import TestSupport
import Testing

@Suite("Mail that rings nobody")
struct QuietTests {
    /// A recipe that adds a header field, as filters and mail servers do.
    private static func adding(_ field: String) -> String { ":0 fhw\n| formail -I \"\(field)\"\n" }

    private static let quiet: [(rc: String, reason: String)] = [
        (":0\nMaildir/.Junk/\n", "quiet_spam"),
        (adding("X-Spam-Flag: YES"), "quiet_spam"),
        (adding("Return-Path: <>"), "quiet_bounce"),
        (adding("Content-Type: multipart/report; report-type=disposition-notification"), "quiet_bounce"),
        (adding("Subject: Report Domain: example.org Submitter: example.com"), "quiet_report"),
        (adding("Delivered-To: ana@admin.example.org"), "quiet_recipient"),
        (adding("X-Doorbell: no"), "quiet_asked"),
        (adding("List-Id: Swift <swift.example.org>"), "quiet_list"),
        (adding("Precedence: bulk"), "quiet_bulk"),
    ]

    @Test(
        "Spam, bounces, reports, named recipients, what asks for it and, once configured, lists and bulk ring nobody, and it is told",
        arguments: ["trap", "copy"])
    func silence(recipe: String) throws {
        let site = try Site(
            quiet: #"""
                kinds = ["spam", "bounce", "report", "list", "bulk"]
                recipients = ["@admin.example.org"]
                """#)
        try site.addDevice("a1")
        for (rc, _) in Self.quiet {
            // The copy rings before the mail is filed, for the folder that it is told.
            let folder = rc.contains("/.Junk/") ? "DOORBELL_FOLDER=Junk\n" : ""
            let rc =
                recipe == "trap" || !folder.isEmpty
                ? folder + site.including(recipe) + rc : rc + site.including(recipe)
            #expect(try site.deliver(rc: rc, trace: "/dev/null").ending == .exited(0))
        }
        try site.deliver(rc: site.including(recipe), trace: "/dev/null")
        try drainAndDispatch(site)
        #expect(site.apple.requests.count == 1)
        for reason in Set(Self.quiet.map(\.reason)) {
            #expect(
                try site.ended("dropped", reason) == Self.quiet.count { $0.reason == reason }, "\(reason)")
        }
        let wakes = try site.doorbell("trace", "--user", site.recipient.name).output
        #expect(wakes.split(separator: "not sent: quiet: ").count == Self.quiet.count + 1, "\(wakes)")
        #expect(wakes.contains("not sent: quiet: X-Doorbell: no"), "\(wakes)")
    }

    @Test("As shipped, lists and what machines send ring")
    func shipped() throws {
        let site = try Site()
        try site.addDevice("a1")
        for (rc, reason) in Self.quiet where ["quiet_list", "quiet_bulk", "quiet_recipient"].contains(reason)
        {
            try site.deliver(rc: site.including("trap") + rc)
        }
        try drainAndDispatch(site)
        #expect(site.apple.requests.count == 3)
    }

    @Test("README.md's Sieve script has mail ask not to ring", Requires.root)
    func sieve() throws {
        let guide = try String(contentsOfFile: "README.md", encoding: .utf8)
        let script = try #require(guide.firstMatch(of: #/```\n(require "editheader"[^`]+)```/#)).1
        let setting = try #require(guide.firstMatch(of: #/`(sieve_extensions = [^`]+)`/#)).1
        let site = try Site(inVillage: true)
        try site.addDevice("a1")
        try site.writeHomeFile(".dovecot.sieve", String(script), of: site.recipient)
        let dovecot = try DovecotServer(
            at: site, including: ["sieve/doorbell.conf"], settings: "plugin {\n  \(setting)\n}\n")
        try site.run(["/usr/bin/sievec", site.shipped("sieve/doorbell.sieve")])
        for domain in ["shop.example", "example.org"] {
            let mail = "From: a@\(domain)\nSubject: a\n\nbody\n"
            #expect(try dovecot.deliver(mail, to: site.recipient.name).ending == .exited(0))
        }
        try drainAndDispatch(site)
        #expect(try site.ended("dropped", "quiet_asked") == 1)
        #expect(site.apple.requests.count == 1)
    }

    private func drainAndDispatch(_ site: Site) throws {
        for program in ["spool-drain", "dispatch"] {
            let command = [
                site.directory.file("usr/sbin/\(program)"), "--config", site.configuration, "--once",
            ]
            #expect(try site.run(command).ending == .exited(0))
        }
    }
}
