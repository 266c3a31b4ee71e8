import TestSupport

/// procmail, as a mail server starts it for each mail, with the line that tells the envelope's sender.
struct Procmail: MailProgram {
    let site: Site
    /// The shipped recipe that it includes, `trap` or `copy`.
    let recipe: String

    func deliver(_ mail: Mail) throws {
        let sender = mail.envelopeSender.isEmpty ? "MAILER-DAEMON" : mail.envelopeSender
        let filed = try site.deliver(
            mail, text: "From \(sender) Mon Jan  1 00:00:00 2001\n" + mail.text, rc: site.including(recipe))
        guard filed.ending == .exited(0) else { throw Site.Trouble(description: filed.errors) }
    }

    /// It keeps nothing: what it can't file it leaves to the server.
    func unfinished() -> String { "" }
}
