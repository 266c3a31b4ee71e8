import TestSupport

/// maildrop, as a mail server starts it for each mail, having written the envelope's sender into it.
struct Maildrop: MailProgram {
    private let site: Site
    private let maildrop: UnpackedProgram

    /// - Parameter filter: what follows in `.mailfilter`, in which `INCLUDE` stands for the lines that include the file.
    init(at site: Site, filter: String = "INCLUDE") throws {
        self.site = site
        maildrop = try UnpackedProgram("maildrop")
        let include = "exception {\n    include \"\(site.shipped("maildrop/doorbell.mailfilter"))\"\n}"
        try site.writeHomeFile(
            ".mailfilter",
            "DEFAULT=\"$HOME/Maildir\"\n\(filter.replacing("INCLUDE", with: include))\n", of: site.recipient)
    }

    func deliver(_ mail: Mail) throws {
        let command = maildrop.command(["/usr/bin/maildrop", "-d", site.recipient.name])
        let filed = try site.run(command, input: "Return-Path: <\(mail.envelopeSender)>\n" + mail.text)
        guard filed.ending == .exited(0) else { throw Site.Trouble(description: filed.errors) }
    }

    /// It keeps nothing: what it can't file it leaves to the server.
    func unfinished() -> String { "" }
}
