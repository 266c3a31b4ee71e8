import TestSupport
import Testing

@Suite("Recipes for everybody and for one user together", Requires.root)
struct RingOnceTests {
    @Test(
        "A mail that passes two of them rings once",
        arguments: ["copy", "trap"], ["copy", "trap"])
    func once(system: String, user: String) throws {
        let site = try Site(inVillage: true)
        try site.directory.write(
            "etc/procmailrc", "DROPPRIVS=yes\nDEFAULT=$HOME/Maildir/\n" + site.including(system))
        try site.deliver(rc: site.including(user), trace: "/dev/null")
        #expect(try site.waitingFolders() == ["INBOX"])
    }
}
