import Foundation
import TestSupport
import Testing

@Suite("Dovecot doesn't let dispatch in, and it is told whose fault that is", Requires.root)
struct RefusedByDovecotTests {
    private let site: Site

    init() throws { site = try Site(inVillage: true) }

    private func start(
        _ dovecot: DovecotServer, socket: String? = nil, entry: String = Site.masterEntry
    ) throws -> RunningProgram {
        try site.ask(imap: dovecot.imapPort, socket: socket, entry: entry)
        try site.addDevice("a1")
        try site.addDevice("b2", user: try #require(site.village).ben.name)
        try site.startDrain()
        return try site.startDispatch()
    }

    /// Has a mail filed; gives the uid of its push, which comes as soon as any other.
    private func ring(_ person: Person? = nil) throws -> Int64 {
        let (start, before) = (ContinuousClock.now, site.apple.requests.count)
        let result = try site.deliver(Mail(), to: person ?? site.recipient, rc: site.including("trap"))
        try #require(result.ending == .exited(0))
        try site.apple.waitForRequests(before + 1, within: 30)
        // The bound, and what a busy machine takes for the rest.
        #expect(ContinuousClock.now - start < .seconds(5))
        return try #require(try MailPlaces(site: site).pushes().last).uid
    }

    @Test(
        "A wrong password, an unknown master user and one that may not come from here: the line names file and key",
        arguments: [
            "doorbell:{PLAIN}another::::::", "someone:{PLAIN}of doorbell::::::",
            "doorbell:{PLAIN}of doorbell::::::allow_nets=10.0.0.0/8",
        ])
    func secret(entry: String) throws {
        let dovecot = try DovecotServer(at: site, including: ["dovecot/master-user.conf"])
        let dispatch = try start(dovecot, entry: entry)
        #expect(try ring() == 0)
        let line = try dispatch.waitForLine(containing: "imap: login refused: ")
        let file = site.directory.file("etc/doorbell/dovecot.password")
        #expect(line.contains("\(site.configuration):"))
        #expect(line.contains("dovecot.password_file: \(file): isn't Dovecot's password for "))
        #expect(try ring() == 0)
        let status = try site.doorbell("status").output
        #expect(status.contains("uids         imap 127.0.0.1:\(dovecot.imapPort): login refused since 2"))
        #expect(status.contains("dovecot.password_file"))
        #expect(!dispatch.errors.contains("of doorbell") && !dispatch.errors.contains(site.recipient.name))

        try site.directory.write("etc/dovecot/doorbell.master", Site.masterEntry + "\n")
        dispatch.send(SIGHUP)
        // Dovecot may hold up the login that follows on a refused one.
        _ = try ring()
        _ = try dovecot.log(until: "Login: user=<ana>")
        #expect(try ring() == 4)
        #expect(!(try site.doorbell("status").output).contains("login refused"))
    }

    @Test(
        "An account that Dovecot doesn't know, or whose mail it can't open: a line says so, and the others have uids",
        arguments: [true, false])
    func account(isUnknown: Bool) throws {
        let ben = try #require(site.village).ben
        let users = try site.directory.write(
            "etc/dovecot-users", "ben::\(ben.uid):\(ben.gid)::\(ben.home)::\n")
        let dovecot = try DovecotServer(
            at: site, including: ["dovecot/master-user.conf"],
            settings: isUnknown ? "" : "first_valid_uid = \(ben.uid)",
            userdb: isUnknown ? "driver = passwd-file\nargs = \(users)" : "driver = passwd")
        let dispatch = try start(dovecot)
        for count in 1...3 {
            #expect(try ring() == 0)
            #expect(try ring(ben) == count)
        }
        try dispatch.waitForLine(containing: "login refused: to 1 account, unknown to Dovecot")
        let status = try site.doorbell("status").output
        #expect(status.contains("imap 127.0.0.1:\(dovecot.imapPort): login refused since 2"))
        #expect(!dispatch.errors.contains("isn't asked for uids"))
        #expect(!dispatch.errors.contains(site.recipient.name))
    }

    @Test("Wrong passwords from 127.0.0.1 hold up a login; it is waited for, by no wake, and not begun again")
    func penalty() throws {
        let dovecot = try DovecotServer(at: site, including: ["dovecot/master-user.conf"])
        let dispatch = try start(dovecot)
        try dovecot.failLogins(2, as: try #require(site.village).cem)
        let start = ContinuousClock.now
        #expect(try ring() == 0)
        #expect(try ring() == 0)
        _ = try dovecot.log(until: "Login: user=<ana>")
        #expect(try ring() == 3)
        let log = try dovecot.log(until: "Login: user=<ana>")
        #expect(ContinuousClock.now - start > .seconds(1.5))
        #expect(log.matches(of: #/Login: user=<ana>/#).count == 1)
        #expect(!dispatch.errors.contains("login refused"))
    }

    @Test("Over a socket of its own, as the shipped file makes one, nobody else's wrong passwords hold it up")
    func socket() throws {
        let dovecot = try DovecotServer(at: site, including: ["dovecot/master-user.conf"])
        try dovecot.failLogins(2, as: try #require(site.village).cem)
        _ = try start(
            dovecot, socket: site.directory.file("dovecot/doorbell"),
            entry: Site.masterEntry.replacing("127.0.0.1/32,", with: ""))
        #expect(try ring() == 1)
    }
}
