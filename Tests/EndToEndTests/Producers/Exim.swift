import Foundation
import TestSupport

/// Exim, which files into Maildirs and has the shipped transport as the shadow of the one that does.
struct Exim: MailProgram {
    private let site: Site
    private let exim: UnpackedProgram

    init(at site: Site) throws {
        self.site = site
        exim = try UnpackedProgram("exim")
        try site.addServiceUsers("Debian-exim")
        let folder = site.directory.file("etc/exim4")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let doorbell = try String(contentsOfFile: site.shipped("exim/doorbell.conf"), encoding: .utf8)
        try site.directory.write(
            "etc/exim4/exim4.conf",
            """
            spool_directory = \(site.directory.file("exim"))
            log_file_path = \(site.directory.file("exim/%slog"))
            primary_hostname = example.org
            keep_environment =
            begin routers
            local_user:
              driver = accept
              check_local_user
              transport = maildir_home
            begin transports
            maildir_home:
              driver = appendfile
              directory = $home/Maildir
              maildir_format
              shadow_transport = doorbell
            \(doorbell)
            begin retry
            * * F,1h,1s
            """)
    }

    private func run(_ arguments: [String], input: String? = nil) throws -> RunningProgram.Result {
        try site.run(exim.command(["/usr/sbin/exim4"] + arguments), input: input)
    }

    /// `-odf` has it deliver in the foreground.
    func deliver(_ mail: Mail) throws {
        let taken = try run(
            ["-odf", "-oi", "-f", "<\(mail.envelopeSender)>", "\(site.recipient.name)@example.org"],
            input: mail.text)
        guard taken.ending == .exited(0) else { throw Site.Trouble(description: taken.errors) }
    }

    func unfinished() throws -> String { try run(["-bp"]).output }
}
