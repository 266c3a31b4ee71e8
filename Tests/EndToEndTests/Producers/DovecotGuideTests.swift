import Foundation
import TestSupport
import Testing

@Suite("dovecot/README.md does what it says", Requires.root)
struct DovecotGuideTests {
    private let site: Site

    init() throws { site = try Site(inVillage: true) }

    /// Runs the commands that follow a text, as root.
    private func follow(after text: String) throws {
        let guide = try String(contentsOfFile: "dovecot/README.md", encoding: .utf8)
        let start = try #require(guide.range(of: text)).upperBound
        let block = try #require(guide[start...].split(separator: "```\n").dropFirst().first)
        let followed = try site.run(["/bin/sh", "-ec", String(block)])
        try #require(followed.ending == .exited(0), "\(followed.errors)")
    }

    @Test(
        "The user who may look uids up opens a folder of somebody's, with a password that only dispatch can read"
    )
    func masterUser() throws {
        let dovecot = try DovecotServer(at: site, including: ["dovecot/master-user.conf"])
        try follow(after: "## A user who may look uids up")
        let file = site.directory.file("etc/doorbell/dovecot.password")
        #expect(try site.run(["/bin/cat", file], as: site.drainUser).ending == .exited(1))
        let password = try site.run(["/bin/cat", file], as: site.dispatchUser).output
        let answer = try site.run([
            "/usr/bin/curl", "--silent", "--user", "doorbell:\(password)", "--sasl-authzid", "ana",
            "--login-options", "AUTH=PLAIN", "--request", "EXAMINE INBOX",
            "imap://127.0.0.1:\(dovecot.imapPort)/",
        ])
        #expect(answer.output.contains("UIDVALIDITY"))
    }

    @Test("doveadm's key is read from its file, without a line end")
    func key() throws {
        try FileManager.default.createDirectory(
            atPath: site.directory.file("etc/dovecot"), withIntermediateDirectories: false)
        try follow(after: "For doveadm's interface")
        let doveconf = ["/usr/bin/doveconf", "-x", "-h", "-c", site.shipped("dovecot/doveadm.conf")]
        let key = try site.run(doveconf + ["doveadm_api_key"])
        #expect(key.output.wholeMatch(of: #/[0-9a-f]{48}\n/#) != nil, "\(key.errors)")
    }

    @Test("Where dispatch has another user, the installed guide hands the password to that one")
    func otherUser() throws {
        let made = try site.run([
            "/usr/bin/make", "--silent", "install", "RELEASE=\(BuiltProgram.releases)", "DISPATCH_USER=push",
            "DESTDIR=\(site.directory.file("other"))",
        ])
        try #require(made.ending == .exited(0), "\(made.errors)")
        let path = site.directory.file("other/usr/local/share/doorbell/dovecot/README.md")
        let guide = try String(contentsOfFile: path, encoding: .utf8)
        #expect(guide.contains("chown push: /etc/doorbell/dovecot.password"))
        // Dovecot's master user is none of the machine's.
        #expect(guide.contains("printf 'doorbell:{CRYPT}") && guide.contains(#"master_user = "doorbell""#))
    }
}
