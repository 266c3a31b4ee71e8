import Foundation
import Posix
import Testing

struct UserDatabaseTests {
    @Test("An account has its uid")
    func known() throws {
        #expect(try UserDatabase.uid(of: "root") == 0)
        #expect(try UserDatabase.uid(of: NSUserName()) == geteuid())
    }

    @Test(
        "A name without an account has none", arguments: ["", "no-such-user", "alice@example.org", "../root"])
    func unknown(name: String) throws {
        #expect(try UserDatabase.uid(of: name) == nil)
    }
}
