import Foundation
import TestSupport
import Testing

@Suite("The TRAP recipe rings for what procmail has filed, and for nothing else")
struct FilingTests {
    /// What an rc file has procmail do.
    struct Filing: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rc: String
        /// How procmail ends.
        var exit: Int32 = 0
        /// The folder that rings.
        var folder = ""

        init(_ description: String, _ rc: String, exit: Int32 = 0, folder: String = "") {
            testDescription = description
            (self.rc, self.exit, self.folder) = (rc, exit, folder)
        }
    }

    private let site: Site

    init() throws {
        site = try Site()
        try "".write(toFile: site.recipient.home + "/blocked", atomically: false, encoding: .utf8)
    }

    private static let nothing = [
        Filing("a bail-out with an exit code", "EXITCODE=67\nHOST", exit: 67),
        Filing("a bail-out without one", "HOST"),
        Filing("a bail-out after a copy", ":0c\nMaildir/\nEXITCODE=75\nHOST", exit: 75),
        Filing("a file in the Maildir's place", "DEFAULT=blocked/\nORGMAIL=blocked/", exit: 73),
        Filing("/dev/null", ":0\n/dev/null"),
        Filing("/dev/null as DEFAULT", "DEFAULT=/dev/null"),
        Filing("a pipe", ":0\n| cat"),
        Filing("a pipe to a program that names the Maildir", ":0\n| cat - Maildir/new/"),
        Filing("a folder elsewhere", ":0\nelsewhere/"),
        Filing("a copy, then /dev/null", ":0c\nMaildir/\n:0\n/dev/null"),
    ]

    @Test("It writes nothing where nothing is in the Maildir", arguments: nothing)
    func silence(filing: Filing) throws {
        let delivery = try site.deliver(rc: site.including("trap") + filing.rc + "\n")
        #expect(delivery.ending == .exited(filing.exit))
        #expect(try site.waitingFolders() == [])
    }

    @Test("It writes nothing where no folder can be written to", Requires.root)
    func unwritable() throws {
        let site = try Site(inVillage: true)
        let maildir = site.recipient.home + "/Maildir"
        for folder in [maildir, maildir + "/tmp", maildir + "/new", maildir + "/cur"] { chmod(folder, 0o500) }
        let delivery = try site.deliver(rc: site.including("trap"))
        #expect(delivery.ending == .exited(73))
        #expect(try site.waitingFolders() == [])
    }

    private static let filed = [
        Filing("the Maildir that is DEFAULT", "", folder: "INBOX"),
        Filing("an mbox that is DEFAULT", "DEFAULT=mbox", folder: "INBOX"),
        Filing("two folders, of which the later counts", ":0c\nMaildir/.A/\n:0\nMaildir/.B/", folder: "B"),
        Filing("a copy and the inbox", ":0c\nMaildir/.A/", folder: "INBOX"),
        Filing("a relative LASTFOLDER", "MAILDIR=$HOME/Maildir\n:0\n.Lists.Swift/", folder: "Lists.Swift"),
        Filing("a relative DEFAULT", "DEFAULT=Maildir/", folder: "INBOX"),
        Filing("~/.maildir", "DEFAULT=$HOME/.maildir/", folder: "INBOX"),
        Filing(
            "a folder of ~/.maildir", "DEFAULT=$HOME/.maildir/\n:0c\n$DEFAULT\n:0\n$HOME/.maildir/.Work/",
            folder: "Work"),
    ]

    @Test("It rings once, for the right folder", arguments: filed)
    func ring(filing: Filing) throws {
        let delivery = try site.deliver(rc: site.including("trap") + filing.rc + "\n")
        #expect(delivery.ending == .exited(0))
        #expect(try site.waitingFolders() == [filing.folder])
    }
}
