import Foundation
import Synchronization
import TestSupport
import Testing

/// Dovecot for the accounts of a village, on loopback; it ends with its owner.
///
/// Every account's password is `secret`. Mail lies in `Maildir` below the home, and folders have Maildir++ names.
final class DovecotServer: Sendable {
    /// Where IMAP is, on 127.0.0.1.
    let imapPort: Int
    /// Where doveadm's HTTP interface is, on 127.0.0.1, with `secret` as its key.
    let doveadmPort: Int
    private let site: Site
    private let master = Mutex<RunningProgram?>(nil)

    /// Starts it.
    ///
    /// - Parameters:
    ///   - including: shipped files, such as `dovecot/lua.conf`.
    ///   - settings: more settings, before those files.
    ///   - userdb: whom it knows.
    init(
        at site: Site, including files: [String] = [], settings: String = "",
        userdb: String = "driver = passwd"
    ) throws {
        self.site = site
        imapPort = try freePort()
        doveadmPort = try freePort()
        try site.addServiceUsers("dovecot", "dovenull")
        let folder = site.directory.file("etc/dovecot")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let includes = files.map { "!include \(site.shipped($0))\n" }.joined()
        try site.directory.write(
            "etc/dovecot/dovecot.conf",
            configuration + "userdb {\n\(userdb)\n}\n" + settings + "\n" + includes)
        try start()
    }

    deinit { try? stop() }

    private var configuration: String {
        """
        base_dir = \(site.directory.file("dovecot"))
        state_dir = \(site.directory.file("dovecot"))
        log_path = /dev/stderr
        protocols = imap lmtp
        ssl = no
        mail_location = maildir:~/Maildir
        recipient_delimiter = +
        lmtp_save_to_detail_mailbox = yes
        lda_mailbox_autocreate = yes
        namespace inbox {
          inbox = yes
          separator = .
        }
        passdb {
          driver = static
          args = password=secret
        }
        service imap-login {
          inet_listener imap {
            address = 127.0.0.1
            port = \(imapPort)
          }
          inet_listener imaps {
            port = 0
          }
        }
        service doveadm {
          inet_listener http {
            address = 127.0.0.1
            port = \(doveadmPort)
          }
        }
        doveadm_api_key = secret
        service stats {
          # For dovecot-lda, which runs as the user.
          unix_listener stats-writer {
            mode = 0666
          }
        }

        """
    }

    /// Starts it, again if it was stopped, and waits until it listens.
    func start() throws {
        let program = try site.start(["/usr/sbin/dovecot", "-F"])
        master.withLock { $0 = program }
        try program.waitForLine(containing: "starting up")
    }

    /// Stops it, hung or not, and waits until it has ended.
    func stop() throws {
        guard let program = master.withLock({ $0.take() }) else { return }
        try signal(program, SIGCONT)
        program.send(SIGTERM)
        try program.waitForEnd()
    }

    /// Stops each of its processes where it stands: whoever asks gets no answer, and no refusal.
    func hang() throws { try signal(try running(), SIGSTOP) }

    /// Lets it go on after `hang`.
    func goOn() throws { try signal(try running(), SIGCONT) }

    private func running() throws -> RunningProgram { try #require(master.withLock { $0 }) }

    /// Its processes are a group of their own, as every program's that Foundation starts.
    private func signal(_ program: RunningProgram, _ number: Int32) throws {
        try #require(getpgid(program.processIdentifier) == program.processIdentifier)
        kill(-program.processIdentifier, number)
    }

    /// A program of the tests that talks to it.
    func peer(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Peers/\(name)").path
    }

    /// What it has logged since its last start until it says something, for which it waits; by itself that is the end
    /// of an LMTP session.
    func log(until text: String = "Disconnect from local") throws -> String {
        let program = try running()
        try program.waitForLine(containing: text)
        return program.errors
    }

    /// Has somebody else of this machine try wrong passwords, each another one.
    func failLogins(_ count: Int, as person: Person) throws {
        let script = """
            import imaplib, sys
            for number in range(int(sys.argv[3])):
                try: imaplib.IMAP4("127.0.0.1", int(sys.argv[1])).login(sys.argv[2], f"wrong{number}")
                except imaplib.IMAP4.error: continue
                sys.exit("let in")
            """
        let result = try site.run(
            ["/usr/bin/python3", "-B", "-c", script, "\(imapPort)", person.name, "\(count)"])
        guard result.ending == .exited(0) else { throw Site.Trouble(description: result.errors) }
    }

    /// Hands a mail over by LMTP; a recipient with `+` and a folder's name gets it there.
    func deliver(_ mail: String, from sender: String = "ben@example.org", to recipients: String...) throws
        -> RunningProgram.Result
    {
        try site.run(lmtp([sender] + recipients), input: mail)
    }

    /// Starts to hand a mail over, and doesn't wait for the answer.
    func startDelivery(_ mail: String, to recipient: String) throws -> RunningProgram {
        try site.start(lmtp(["ben@example.org", recipient]), input: mail)
    }

    private func lmtp(_ envelope: [String]) -> [String] {
        ["/usr/bin/python3", "-B", peer("lmtp.py"), site.directory.file("dovecot/lmtp")] + envelope
    }

    /// Has the delivery agent file a mail, as its recipient.
    func lda(_ mail: String, as person: Person, folder: String) throws -> RunningProgram.Result {
        let lda = ["/usr/lib/dovecot/dovecot-lda", "-f", "ben@example.org", "-m", folder]
        return try site.run(
            ["/usr/bin/env", "HOME=\(person.home)", "USER=\(person.name)"] + lda, as: person, input: mail)
    }

    /// What doveadm prints.
    @discardableResult
    func doveadm(_ arguments: [String], input: String? = nil) throws -> String {
        let result = try site.run(["/usr/bin/doveadm", "-f", "flow"] + arguments, input: input)
        guard result.ending == .exited(0) else { throw Site.Trouble(description: result.errors) }
        return result.output.trimmingCharacters(in: .newlines)
    }
}
