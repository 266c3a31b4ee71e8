import Foundation
import Spool
import TestSupport
import Testing

@Suite("A guess at the UID from dovecot-uidlist")
struct UIDListOptionTests {
    private let hook: Hook

    init() throws { hook = try Hook() }

    private func entry(_ outcome: Hook.Outcome) throws -> SpoolEntry {
        #expect(outcome.ending == .exited(0))
        return try SpoolEntry.decode(Array(try #require(outcome.entries.first).utf8))
    }

    @Test("The folder's next UID becomes the hint, never the uid")
    func hint() throws {
        try hook.directory.write("dovecot-uidlist", "3 V1275660208 N25022 G3085f01b7f11\n1 :x\n")
        let outcome = try hook.run(
            ["--uidlist", "dovecot-uidlist", "alice"], in: hook.directory.path)
        let entry = try entry(outcome)
        #expect(outcome.log == [])
        #expect(entry.uidHint == 25022)
        #expect(entry.uid == 0)
        #expect(entry.uidValidity == nil)
    }

    @Test("A folder that has no list yet rings without a hint or a word")
    func missing() throws {
        let outcome = try hook.run(["--uidlist", hook.directory.file("none"), "alice"])
        #expect(try entry(outcome).uidHint == nil)
        #expect(outcome.log == [])
    }

    @Test(
        "A list that can't be used rings without a hint, and says so",
        arguments: ["text", "link", "fifo", "directory"])
    func unusable(kind: String) throws {
        let path = hook.directory.file("list")
        switch kind {
        case "text": try hook.directory.write("list", String(repeating: "3 V1 ", count: 1000) + "N5\n")
        case "link":
            try hook.directory.write("target", "3 V1 N5\n")
            symlink("target", path)
        case "fifo": mkfifo(path, 0o600)
        default: mkdir(path, 0o700)
        }
        let outcome = try hook.run(["--uidlist", path, "alice"])
        #expect(try entry(outcome).uidHint == nil)
        #expect(outcome.log.count == 1)
        #expect(outcome.log.first?.contains("this mail rings without a hint") == true)
    }
}
