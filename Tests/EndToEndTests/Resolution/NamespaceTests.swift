import TestSupport
import Testing

@Suite("A wake names a folder as Dovecot does, wherever its folders lie", Requires.root)
struct NamespaceTests {
    private let site: Site

    init() throws { site = try Site(inVillage: true) }

    private func start(prefix: String, separator: String) throws -> DovecotServer {
        try DovecotServer(
            at: site, including: ["dovecot/master-user.conf"],
            settings: "namespace inbox {\n  prefix = \(prefix)\n  separator = \(separator)\n}\n")
    }

    private func file(into directory: String) throws {
        let result = try site.deliver(
            rc: site.including("trap") + ":0\n\"$HOME/Maildir/\(directory)/\"\n")
        guard result.ending == .exited(0) else { throw Site.Trouble(description: result.errors) }
    }

    private func pushes(_ count: Int) throws -> [MailPlaces.Push] {
        try site.apple.waitForRequests(count, within: 60)
        return try MailPlaces(site: site).pushes()
    }

    @Test(
        "With its prefix and its separator, whoever is asked",
        arguments: [("INBOX.", ".", false), ("INBOX.", ".", true), ("", "/", true), ("Post/", "/", false)])
    func names(prefix: String, separator: String, byDoveadm: Bool) throws {
        let dovecot = try start(prefix: prefix, separator: separator)
        if byDoveadm {
            try site.ask(doveadm: dovecot.doveadmPort, bound: "10s")
        } else {
            try site.ask(imap: dovecot.imapPort, bound: "10s")
        }
        try site.addDevice("a1")
        try site.startDrain()
        try site.startDispatch()
        let folders = [
            (".Lists", ["Lists"]), (".Lists.Entw&APw-rfe &- \"more\"", ["Lists", "Entwürfe & \"more\""]),
        ]
        for (directory, _) in folders { try file(into: directory.replacing("\"", with: "\\\"")) }
        let pushes = try pushes(folders.count)
        #expect(
            Set(pushes.map(\.folder)) == Set(folders.map { prefix + $0.1.joined(separator: separator) }))
        #expect(try MailPlaces(site: site).wrong(pushes, from: dovecot).isEmpty)
    }

    @Test("A folder whose name is a pattern to doveadm is told from others that it matches")
    func patterns() throws {
        let dovecot = try start(prefix: "", separator: ".")
        try site.ask(doveadm: dovecot.doveadmPort, bound: "10s")
        try site.addDevice("a1")
        try site.startDrain()
        try site.startDispatch()
        let folders = ["axb", "a*b", "500", "50%"]
        for folder in folders { try file(into: ".\(folder)") }
        let pushes = try pushes(folders.count)
        #expect(Set(pushes.map(\.folder)) == Set(folders))
        #expect(pushes.map(\.uid) == [1, 1, 1, 1])
        #expect(try MailPlaces(site: site).wrong(pushes, from: dovecot).isEmpty)
    }

    @Test(
        "Where Dovecot's names have a domain the system's users are asked for with it",
        arguments: [true, false])
    func domain(byDoveadm: Bool) throws {
        let ana = site.recipient
        let users = try site.directory.write(
            "etc/dovecot-users", "ana@example.org::\(ana.uid):\(ana.gid)::\(ana.home)::\n")
        let dovecot = try DovecotServer(
            at: site, including: ["dovecot/master-user.conf"],
            userdb: "driver = passwd-file\nargs = \(users)")
        try site.ask(
            imap: byDoveadm ? nil : dovecot.imapPort, doveadm: byDoveadm ? dovecot.doveadmPort : nil,
            bound: "10s", domain: "example.org")
        try site.addDevice("a1")
        try site.startDrain()
        try site.startDispatch()
        try file(into: ".Lists")
        #expect(try pushes(1).map(\.uid) == [1])
    }

    @Test("A device that names a folder as Dovecot does hears of it while Dovecot is stopped too")
    func stopped() throws {
        let dovecot = try start(prefix: "INBOX.", separator: ".")
        try site.ask(imap: dovecot.imapPort)
        try site.addDevice("a1", folders: "INBOX.Lists")
        try site.startDrain()
        try site.startDispatch()
        try file(into: ".Lists")
        #expect(try pushes(1).map(\.folder) == ["INBOX.Lists"])
        try dovecot.stop()
        try file(into: ".Lists")
        #expect(try pushes(2).last?.uid == 0)
    }
}
