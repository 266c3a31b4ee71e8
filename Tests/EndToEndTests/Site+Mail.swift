import Foundation
import JSON
import TestSupport

extension Site {
    /// The line that includes a recipe as it is shipped, `copy` or `trap`.
    func including(_ recipe: String) -> String {
        "INCLUDERC=\(directory.file("usr/share/doorbell/procmail/doorbell-\(recipe).rc"))\n"
    }

    /// A recipe that rings from an ordinary copy of the mail, header and body.
    var plainCopy: String { ":0c\n| \(hook) --spool \"\(spoolDirectory)\" \"$LOGNAME\"\n" }

    /// Has procmail deliver a mail by an rc file, as the mail server does in a village.
    ///
    /// - Parameters:
    ///   - rc: follows lines that set a log and, as DEFAULT, the Maildir in the recipient's home.
    ///   - awaitingCopies: whether to wait for programs that procmail doesn't wait for: strace(1) ends with the last.
    @discardableResult
    func deliver(_ mail: Mail = Mail(), rc: String, awaitingCopies: Bool = false) throws
        -> RunningProgram.Result
    {
        let home = recipient.home
        let start = """
            HOME=\(home)
            MAILDIR=$HOME
            DEFAULT=$HOME/Maildir/
            ORGMAIL=$HOME/Maildir/
            LOGFILE=$HOME/procmail.log
            LOGABSTRACT=no

            """
        let file = "\(home)/.procmailrc"
        try (start + rc).write(toFile: file, atomically: false, encoding: .utf8)
        chmod(file, 0o644)
        chown(file, recipient.uid, recipient.gid)
        let procmail = village == nil ? ["-m", file] : ["-d", recipient.name]
        let strace = ["/usr/bin/strace", "-f", "-qq", "-e", "trace=none", "-o", "/dev/null"]
        return try run(
            (awaitingCopies ? strace : []) + ["/usr/bin/procmail"] + procmail, input: mail.text)
    }

    /// The folders that entries in the spool name, in the order of their publication.
    func waitingFolders() throws -> [String] {
        let new = spoolDirectory + "/new"
        return try FileManager.default.contentsOfDirectory(atPath: new).sorted().compactMap { name in
            let entry = try Data(contentsOf: URL(fileURLWithPath: "\(new)/\(name)"))
            return try JSONParser.parse(Array(entry))["folder"]?.string
        }
    }
}
