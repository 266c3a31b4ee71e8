import TestSupport
import Testing

@Suite("Which mail rings nobody, as far as each mail program tells it", Requires.root)
struct ProducerQuietTests {
    private static let kinds = #"kinds = ["spam", "bounce", "report", "list", "bulk"]"#

    /// Delivers one mail of each kind and one that is none, and tells how many are dropped for which reason.
    private func dropped(at site: Site, by program: any MailProgram) throws -> [String: Int64] {
        for kind in QuietMail.allCases { try program.deliver(kind.mail) }
        try program.deliver(Mail())
        #expect(try site.drainTakesAll())
        let reasons = Set(QuietMail.allCases.map(\.reason))
        return try reasons.reduce(into: [:]) { $0[$1] = try site.ended("dropped", $1) }
    }

    private func expected(_ told: Set<QuietMail>) -> [String: Int64] {
        QuietMail.allCases.reduce(into: [:]) { $0[$1.reason, default: 0] += told.contains($1) ? 1 : 0 }
    }

    @Test(
        "Header and envelope tell all; Lua's event and mailbox_command's environment less",
        arguments: Producer.waiting)
    func told(producer: Producer) throws {
        let site = try Site(inVillage: true, quiet: Self.kinds)
        let told = try dropped(at: site, by: producer.start(at: site))
        #expect(told == expected(producer.quietMail))
    }

    /// What somebody's own script may do with a mail after it.
    private static let scripts = ["keep;", #"require ["fileinto", "mailbox"]; fileinto :create "Lists";"#]

    @Test("With quiet.sieve Lua tells all as well, whatever script a user has", arguments: scripts)
    func sieve(script: String) throws {
        let site = try Site(inVillage: true, quiet: Self.kinds)
        let lmtp = try LMTP(at: site, including: "dovecot/lua.conf", "dovecot/quiet.conf")
        try site.run(["/usr/bin/sievec", site.shipped("dovecot/quiet.sieve")])
        try site.writeHomeFile(".dovecot.sieve", script, of: site.recipient)
        #expect(try dropped(at: site, by: lmtp) == expected(Set(QuietMail.allCases)))
    }

    @Test("A user's script asks Lua not to ring by a keyword")
    func keyword() throws {
        let site = try Site(inVillage: true)
        let lmtp = try LMTP(at: site, including: "dovecot/lua.conf", "dovecot/quiet.conf")
        let script = #"require "imap4flags"; addflag "Doorbell-asked";"#
        try site.writeHomeFile(".dovecot.sieve", script, of: site.recipient)
        try lmtp.deliver(Mail())
        #expect(try site.drainTakesAll())
        #expect(try site.ended("dropped", "quiet_asked") == 1)
    }

    @Test(
        "A recipient that is to be quiet is told by the envelope, or where that isn't known by To",
        arguments: Producer.waiting.filter { $0 != .sieve })
    func recipient(producer: Producer) throws {
        let site = try Site(inVillage: true, quiet: #"recipients = ["@example.org"]"#)
        let knowsEnvelope = [.exim, .forward, .mailboxCommand].contains(producer)
        let program = try producer.start(at: site)
        try program.deliver(knowsEnvelope ? Mail() : Mail(recipient: "ana@example.org"))
        #expect(try site.drainTakesAll())
        #expect(try site.ended("dropped", "quiet_recipient") == 1)
    }
}
