import TestSupport

/// procmail, as a mail server starts it for each mail.
struct Procmail: MailProgram {
    let site: Site
    /// The shipped recipe that it includes, `trap` or `copy`.
    let recipe: String

    func deliver(_ mail: Mail) throws {
        let filed = try site.deliver(mail, rc: site.including(recipe))
        guard filed.ending == .exited(0) else { throw Site.Trouble(description: filed.errors) }
    }

    /// It keeps nothing: what it can't file it leaves to the server.
    func unfinished() -> String { "" }
}
