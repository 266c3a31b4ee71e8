import TestSupport

/// Dovecot, with mail that comes by LMTP.
struct LMTP: MailProgram {
    let dovecot: DovecotServer
    private let recipient: Person

    init(at site: Site, including files: String...) throws {
        recipient = site.recipient
        dovecot = try DovecotServer(at: site, including: files)
    }

    init(withSieveAt site: Site) throws {
        try self.init(at: site, including: "sieve/doorbell.conf")
        try site.run(["/usr/bin/sievec", site.shipped("sieve/doorbell.sieve")])
    }

    func deliver(_ mail: Mail) throws {
        let handedOver = try dovecot.deliver(mail.text, from: mail.envelopeSender, to: recipient.name)
        guard handedOver.ending == .exited(0) else {
            throw Site.Trouble(description: handedOver.output + handedOver.errors)
        }
    }

    /// LMTP answers for each recipient when it is done.
    func unfinished() -> String { "" }
}
