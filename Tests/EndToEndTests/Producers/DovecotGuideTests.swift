import Foundation
import TestSupport
import Testing

@Suite("dovecot/README.md does what it says", Requires.root)
struct DovecotGuideTests {
    private let site: Site
    private let guide: Guide

    init() throws {
        site = try Site(inVillage: true)
        guide = try Guide("dovecot/README.md", of: site)
    }

    @Test("dispatch learns a mail's uid by IMAP, with a password that nobody else can read")
    func masterUser() throws {
        let dovecot = try DovecotServer(at: site, including: ["dovecot/master-user.conf"])
        try guide.follow(after: "## A user who may look uids up")
        let file = site.directory.file("etc/doorbell/dovecot.password")
        #expect(try site.run(["/bin/cat", file], as: site.drainUser).ending == .exited(1))
        let answer = try #require(guide.text.firstMatch(of: #/The answer is `([^`]+)`/#)).1
        let answered = try guide.follow(after: "Try it with one of your users")
        #expect(answered.contains(answer.replacing("alice", with: "ana")))

        let section = try guide.block(after: "Then, in")
        let place = site.directory.file("dovecot/")
        try guide.configure(section.replacing("/run/dovecot/", with: place) + "bound = \"10s\"\n")
        try site.addDevice("a1")
        try site.deliver(rc: site.including("trap"))
        #expect(try site.drainTakesAll())
        try dispatchOnce()
        #expect(site.apple.requests.map { $0.body.contains(#""uid":1,"#) } == [true])
        try dovecot.stop()
    }

    @Test("doveadm's key is read from its file, without a line end, and goes beside the password")
    func key() throws {
        try site.addServiceUsers("dovecot")
        try FileManager.default.createDirectory(
            atPath: site.directory.file("etc/dovecot"), withIntermediateDirectories: false)
        for part in ["## A user who may look uids up", "doveadm's HTTP interface"] {
            try guide.follow(after: part)
        }
        let doveconf = ["/usr/bin/doveconf", "-x", "-h", "-c", site.shipped("dovecot/doveadm.conf")]
        let key = try site.run(doveconf + ["doveadm_api_key"])
        #expect(key.output.wholeMatch(of: #/[0-9a-f]{48}\n/#) != nil, "\(key.errors)")
        for part in ["Then, in", "Then, below"] { try guide.configure(guide.block(after: part)) }
        try dispatchOnce()
    }

    private func dispatchOnce() throws {
        let dispatch = [site.directory.file("usr/sbin/dispatch"), "--config", site.configuration, "--once"]
        let ran = try site.run(dispatch, as: site.dispatchUser)
        #expect(ran.ending == .exited(0), "\(ran.errors)")
    }

    @Test("Where the daemons have another user and group, installed how-tos name these")
    func otherUser() throws {
        let made = try site.run([
            "/usr/bin/make", "--silent", "install", "RELEASE=\(BuiltProgram.releases)", "DISPATCH_USER=push",
            "GROUP=bell", "DESTDIR=\(site.directory.file("other"))",
        ])
        try #require(made.ending == .exited(0), "\(made.errors)")
        let shared = site.directory.file("other/usr/local/share/doorbell")
        let guide = try String(contentsOfFile: shared + "/dovecot/README.md", encoding: .utf8)
        #expect(guide.contains("chown push: /etc/doorbell/dovecot.password"))
        // Dovecot's master user is none of the machine's.
        #expect(guide.contains("printf 'doorbell:{CRYPT}") && guide.contains(#"master_user = "doorbell""#))
        let master = try String(contentsOfFile: shared + "/dovecot/master-user.conf", encoding: .utf8)
        #expect(master.contains("user = push\n"))
        let running = try String(contentsOfFile: shared + "/supervisord/README.md", encoding: .utf8)
        #expect(running.contains("runuser -u push -- ") && running.contains("chgrp bell FILE"))
    }
}
