import Foundation
import TestSupport

/// Postfix without a port, which files into Maildirs by itself or by a command; it ends with its owner.
final class Postfix: MailProgram {
    private let site: Site
    private let postfix: UnpackedProgram
    private let program: RunningProgram

    /// Has it file by itself, and the recipient ring from the shipped `.forward`.
    convenience init(forwardAt site: Site) throws {
        let forward = try String(contentsOfFile: site.shipped("postfix/forward"), encoding: .utf8)
        let mine = forward.replacing("alice", with: site.recipient.name)
        try site.writeHomeFile(".forward", mine, of: site.recipient)
        try self.init(at: site, settings: "home_mailbox = Maildir/")
    }

    /// Has it file and ring by the shipped `mailbox_command`, with procmail in the delivery agent's place.
    convenience init(mailboxCommandAt site: Site) throws {
        let settings = try String(contentsOfFile: site.shipped("postfix/main.cf"), encoding: .utf8)
        let agent = #/\S*/dovecot-lda [^&]*/#
        let procmail = "/usr/bin/procmail DEFAULT=$HOME/Maildir/ /dev/null "
        try self.init(at: site, settings: settings.replacing(agent, with: procmail))
    }

    private init(at site: Site, settings: String) throws {
        self.site = site
        postfix = try UnpackedProgram("postfix")
        try site.addServiceUsers("postfix", "postdrop", "nobody")
        for folder in ["etc/postfix", "postfix", "postfix/queue", "postfix/data"] {
            try FileManager.default.createDirectory(
                atPath: site.directory.file(folder), withIntermediateDirectories: false)
        }
        try site.directory.write("etc/postfix/main.cf", Self.main(site) + settings + "\n")
        try site.directory.write("etc/postfix/master.cf", Self.services)
        let start =
            #"cp -a "$0/." /usr/share/postfix/dynamicmaps.cf /etc/postfix; chown postfix "$1"; exec /usr/sbin/postfix start-fg"#
        program = try site.start(
            postfix.command([
                "/bin/sh", "-ec", start, postfix.folder + "/etc/postfix", site.directory.file("postfix/data"),
            ]))
        try program.waitForLine(containing: "daemon started")
    }

    deinit {
        _ = try? site.run(postfix.command(["/usr/sbin/postfix", "stop"]))
        _ = try? program.waitForEnd()
    }

    private static func main(_ site: Site) -> String {
        """
        compatibility_level = 3.6
        queue_directory = \(site.directory.file("postfix/queue"))
        data_directory = \(site.directory.file("postfix/data"))
        maillog_file = /dev/stdout
        shlib_directory = /usr/lib/postfix
        daemon_directory = /usr/lib/postfix/sbin
        myhostname = example.org
        mydestination = example.org
        inet_interfaces = loopback-only
        alias_maps =

        """
    }

    private static let services = """
        pickup  unix       n - n 60  1 pickup
        cleanup unix       n - n -   0 cleanup
        qmgr    unix       n - n 300 1 qmgr
        rewrite unix       - - n -   - trivial-rewrite
        bounce  unix       - - n -   0 bounce
        defer   unix       - - n -   0 bounce
        trace   unix       - - n -   0 bounce
        flush   unix       n - n 999 0 flush
        showq   unix       n - n -   - showq
        error   unix       - - n -   - error
        retry   unix       - - n -   - error
        local   unix       - n n -   - local
        postlog unix-dgram n - n -   1 postlogd

        """

    func deliver(_ mail: Mail) throws {
        let taken = try site.run(
            postfix.command([
                "/usr/sbin/sendmail", "-i", "-f", mail.envelopeSender, "\(site.recipient.name)@example.org",
            ]),
            input: mail.text)
        guard taken.ending == .exited(0) else { throw Site.Trouble(description: taken.errors) }
        let line = try program.waitForLine(containing: "message-id=<\(mail.messageID)>")
        let id = line.split(separator: " ").first { $0.hasSuffix(":") && $0.count > 8 && !$0.contains("[") }
        try program.waitForLine(containing: "\(id ?? "?") removed", within: 15)
    }

    func unfinished() throws -> String {
        try site.run(postfix.command(["/usr/sbin/postqueue", "-j"])).output
    }
}
