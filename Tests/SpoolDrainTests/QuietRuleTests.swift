import Queue
import Settings
import Spool
import Testing

@testable import SpoolDrainCommand

@Suite("Which mail rings nobody")
struct QuietRuleTests {
    private static let shipped: [Configuration.Quiet.Kind] = [.spam, .bounce, .report]

    private func reason(
        folder: String = "INBOX", _ marks: MailMarks = [], user: String = "alice", recipient: String = "",
        kinds: [Configuration.Quiet.Kind] = shipped, junkFolders: [String] = ["Junk", "Spam"],
        recipients: [String] = []
    ) -> DropReason? {
        let entry = SpoolEntry(
            user: Array(user.utf8), folder: Array(folder.utf8), at: 0, marks: marks,
            recipient: Array(recipient.utf8))
        return QuietRule(
            Configuration.Quiet(kinds: kinds, junkFolders: junkFolders, recipients: recipients)
        ).reason(for: entry)
    }

    @Test(
        "Each mark keeps its mail quiet where its kind is listed, and rings where it isn't",
        arguments: [
            (.spam, .spam, .quietSpam), (.bounce, .bounce, .quietBounce), (.report, .report, .quietReport),
            (.list, .list, .quietList), (.bulk, .bulk, .quietBulk),
        ] as [(MailMarks, Configuration.Quiet.Kind, DropReason)])
    func kinds(marks: MailMarks, kind: Configuration.Quiet.Kind, expected: DropReason) {
        #expect(reason(marks, kinds: [kind]) == expected)
        #expect(reason(marks, kinds: Configuration.Quiet.Kind.allCases.filter { $0 != kind }) == nil)
        #expect(reason([], kinds: [kind]) == nil)
    }

    @Test("A mail that asks not to ring doesn't, whatever is configured")
    func asked() {
        #expect(reason(.asked, kinds: []) == .quietAsked)
        #expect(reason([.asked, .bounce]) == .quietAsked)
    }

    @Test("A report that comes as a bounce counts as a report, and as a bounce where reports may ring")
    func both() {
        #expect(reason([.bounce, .report]) == .quietReport)
        #expect(reason([.bounce, .report], kinds: [.bounce]) == .quietBounce)
    }

    @Test(
        "A mail filed as spam is told by the last part of the folder's name, in any case",
        arguments: [
            ("Junk", true), ("junk", true), ("SPAM", true), ("INBOX.Junk", true), ("INBOX/spam", true),
            ("Lists.2026.Spam", true), ("Junk.2026", false), ("Junkyard", false), ("My Junk", false),
            ("Anti-Spam", false),
            ("INBOX", false), ("", false),
        ])
    func junkFolders(folder: String, isQuiet: Bool) {
        #expect(reason(folder: folder) == (isQuiet ? .quietSpam : nil))
        #expect(reason(folder: folder, kinds: [.bounce]) == nil)
    }

    @Test(
        "Junk folders are those that are configured, by their names as a person reads them",
        arguments: [
            ("Müll", true), ("INBOX.MÜLL", true), ("Mu\u{308}ll", true), ("a/Junk E-Mail", true),
            ("Junk", false),
            ("Mull", false),
        ])
    func otherJunkFolders(folder: String, isQuiet: Bool) {
        #expect(reason(folder: folder, junkFolders: ["Müll", "Junk E-Mail"]) == (isQuiet ? .quietSpam : nil))
    }

    @Test(
        "A recipient is kept quiet by address, by domain or by name, in any case, whether the mail tells or the account",
        arguments: [
            ("alice", "postmaster@example.org", true), ("alice", "Postmaster@Example.ORG", true),
            ("postmaster@example.org", "", true), ("alice", "anybody@admin.example.org", true),
            ("alice", "root", true), ("alice", "root@anywhere.example", true), ("root", "", true),
            ("alice", "postmaster@example.com", false), ("alice", "alice@example.org", false),
            ("alice", "x@sub.admin.example.org", false), ("alice", "roots", false), ("alice", "@root", false),
            ("alice", "", false),
        ])
    func recipients(user: String, recipient: String, isQuiet: Bool) {
        let found = reason(
            user: user, recipient: recipient, kinds: [],
            recipients: ["postmaster@example.org", "@admin.EXAMPLE.org", "root"])
        #expect(found == (isQuiet ? .quietRecipient : nil))
    }
}
