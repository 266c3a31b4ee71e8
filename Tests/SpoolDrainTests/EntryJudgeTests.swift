import Posix
import Queue
import Settings
import Spool
import SpoolDirectories
import Testing

@testable import SpoolDrainCommand

struct EntryJudgeTests {
    private static let now = WallTime(milliseconds: 1_796_013_060_000)
    private let judge = EntryJudge(
        trusted: [0, 5000], quiet: QuietRule(.init(kinds: [.spam], junkFolders: ["Junk"])))

    private func facts(owner: UInt32 = 1000, age: Duration = .seconds(60)) -> EntryFacts {
        EntryFacts(
            isRegular: true, links: 1, size: 100, owner: owner, changed: Self.now.advanced(by: .zero - age))
    }

    private func entry(
        user: String = "alice", folder: String = "Ärger/a b", at: Int64 = 1_790_000_000_000
    ) -> [UInt8] {
        SpoolEntry(
            user: Array(user.utf8), folder: Array(folder.utf8), uid: 7, messageID: Array("<x@y>".utf8),
            at: at, uidHint: 8, uidValidity: 9, filed: Array("1.M2.host".utf8)
        ).encode()
    }

    private func verdict(_ bytes: [UInt8], _ facts: EntryFacts) throws(SystemCallError) -> EntryVerdict {
        try judge.verdict(name("n"), facts, bytes, now: Self.now) { $0 == "alice" ? 1000 : nil }
    }

    @Test("Every field of an entry reaches the notice, with the file's owner and name as its key")
    func notice() throws {
        #expect(
            try verdict(entry(), facts())
                == .notice(
                    NewNotice(
                        ownerUID: 1000, spoolName: Array("n".utf8), user: "alice", folder: "Ärger/a b",
                        uid: 7,
                        uidValidity: 9, uidHint: 8, filed: "1.M2.host", messageID: "<x@y>",
                        at: WallTime(milliseconds: 1_790_000_000_000))))
    }

    @Test("A mail that rings nobody is a notice all the same, with the reason")
    func quiet() throws {
        guard case .notice(let notice) = try verdict(entry(folder: "INBOX.Junk"), facts()) else {
            Issue.record("no notice")
            return
        }
        #expect(notice.quietBecause == .quietSpam)
        #expect(notice.folder == "INBOX.Junk")
        #expect(try verdict(entry(user: "bob", folder: "Junk"), facts()) == .damaged(.wrongOwner))
    }

    @Test("A time later than the file's last change counts as that")
    func future() throws {
        guard case .notice(let notice) = try verdict(entry(at: 1 << 53), facts()) else {
            Issue.record("no notice")
            return
        }
        #expect(notice.at == facts().changed)
    }

    @Test(
        "An entry counts for the account of its owner only, unless the owner is trusted",
        arguments: [
            ("alice", 1000, true), ("alice", 1001, false), ("bob", 1000, false), ("bob", 0, true),
            ("virtual@example.org", 5000, true), ("nobody-knows", 1001, false),
        ])
    func owner(user: String, owner: UInt32, isAllowed: Bool) throws {
        let verdict = try verdict(entry(user: user), facts(owner: owner))
        #expect((verdict == .damaged(.wrongOwner)) == !isAllowed)
    }

    @Test("When the accounts can't be asked nothing is decided")
    func noAnswer() {
        let error = SystemCallError(call: "getpwnam_r", subject: "an account", errno: .inputOutput)
        #expect(throws: error) {
            try judge.verdict(name("n"), facts(), entry(), now: Self.now) { _ throws(SystemCallError) in
                throw error
            }
        }
    }

    @Test("A file that is none, has a second name or is too large isn't even read")
    func unread() {
        var odd = facts()
        odd.isRegular = false
        #expect(judge.verdict(unread: odd, now: Self.now) == .damaged(.notRegular))
        odd = facts()
        odd.links = 2
        #expect(judge.verdict(unread: odd, now: Self.now) == .damaged(.linked))
        odd = facts()
        odd.size = 4097
        #expect(judge.verdict(unread: odd, now: Self.now) == .damaged(.oversized))
        #expect(judge.verdict(unopened: odd, now: Self.now) == .damaged(.oversized))
        odd.size = 4096
        #expect(judge.verdict(unread: odd, now: Self.now) == nil)
    }

    @Test(
        "An entry that is cut short, linked or closed gets two seconds to be finished, a time in the future none",
        arguments: [(0, true), (2000, true), (2001, false), (-1, false), (60_000, false)])
    func patience(age: Int, isUnfinished: Bool) throws {
        let fresh = facts(age: .milliseconds(age))
        #expect(try verdict([], fresh) == (isUnfinished ? .unfinished : .damaged(.truncated)))
        #expect(try verdict(Array("nonsense\n".utf8), fresh) == .damaged(.badJSON))
        var linked = fresh
        linked.links = 2
        #expect(
            judge.verdict(unread: linked, now: Self.now) == (isUnfinished ? .unfinished : .damaged(.linked)))
        #expect(
            judge.verdict(unopened: fresh, now: Self.now)
                == (isUnfinished ? .unfinished : .damaged(.unreadable)))
    }
}
