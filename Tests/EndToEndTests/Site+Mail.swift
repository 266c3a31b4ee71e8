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
    ///   - text: what travels in its place.
    ///   - rc: follows lines that set a log and, as DEFAULT, the Maildir in the recipient's home.
    ///   - person: whose mail it is; nil is the site's recipient.
    ///   - trace: a file where strace(1) writes which names files were given. It ends with the last program, those
    ///     included that procmail doesn't wait for.
    @discardableResult
    func deliver(
        _ mail: Mail = Mail(), text: String? = nil, to person: Person? = nil, rc: String, trace: String? = nil
    ) throws -> RunningProgram.Result {
        let person = person ?? recipient
        let home = person.home
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
        chown(file, person.uid, person.gid)
        let procmail = village == nil ? ["-m", file] : ["-d", person.name]
        let strace = trace.map { ["/usr/bin/strace", "-f", "-qq", "-e", "trace=linkat,renameat2", "-o", $0] }
        return try run((strace ?? []) + ["/usr/bin/procmail"] + procmail, input: text ?? mail.text)
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
