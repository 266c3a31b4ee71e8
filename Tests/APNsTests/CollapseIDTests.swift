import APNs
import Testing

@Suite("Collapse id")
struct CollapseIDTests {
    private func subject(
        folder: String = "INBOX", uid: UInt32 = 4271, validity: UInt32? = nil, first: UInt32? = nil,
        alone: Bool = true, messageID: String = "<a@b>", account: String = "alice", name: String = "n1"
    ) -> CollapseID.Subject {
        CollapseID.Subject(
            account: account, message: MessageReference(folder: folder, uid: uid, uidValidity: validity),
            messageID: messageID, spoolName: Array(name.utf8), firstUIDValidity: first,
            tokenServesOneAccount: alone)
    }

    private func text(_ subject: CollapseID.Subject) -> String {
        CollapseID.text(for: subject) { fakeHash($0, bytes: 32) }
    }

    private func isHashed(_ text: String) -> Bool {
        text.utf8.count == 32 && text.allSatisfy { $0.isHexDigit }
    }

    @Test("An exact uid gives folder:uid")
    func plain() { #expect(text(subject()) == "INBOX:4271") }

    @Test("The limit is 64 bytes, not characters")
    func bytes() {
        #expect(text(subject(folder: String(repeating: "a", count: 59), uid: 1234)).utf8.count == 64)
        #expect(isHashed(text(subject(folder: String(repeating: "a", count: 60), uid: 1234))))
        #expect(isHashed(text(subject(folder: String(repeating: "ü", count: 30), uid: 1234))))
    }

    @Test(
        "What doesn't name one message for good is hashed",
        arguments: [
            ("an unknown uid", true), ("a changed UIDVALIDITY", true), ("a token of two accounts", true),
            ("the first UIDVALIDITY", false),
        ])
    func hashed(what: String, isHashed expected: Bool) {
        let subject =
            switch what {
            case "an unknown uid": subject(uid: 0)
            case "a changed UIDVALIDITY": subject(validity: 2, first: 1)
            case "a token of two accounts": subject(alone: false)
            default: subject(validity: 1, first: 1)
            }
        #expect(isHashed(text(subject)) == expected)
    }

    @Test("A recreated folder's uid never gives the id of the old one's")
    func recreated() {
        #expect(text(subject(validity: 2, first: 1)) != text(subject(validity: 3, first: 1)))
        let unknown = text(subject(first: 1))
        #expect(unknown != text(subject(validity: 1, first: 1)))
        #expect(unknown != text(subject(first: 1, messageID: "<c@d>")))
    }

    @Test("Two accounts on one device never share an id")
    func accounts() {
        #expect(text(subject(alone: false, account: "alice")) != text(subject(alone: false, account: "bob")))
    }

    @Test("Without a uid the Message-ID counts, without that the entry's name")
    func fallbacks() {
        #expect(text(subject(uid: 0, name: "n1")) == text(subject(uid: 0, name: "n2")))
        #expect(text(subject(uid: 0, messageID: "<a@b>")) != text(subject(uid: 0, messageID: "<c@d>")))
        #expect(
            text(subject(uid: 0, messageID: "", name: "n1"))
                != text(subject(uid: 0, messageID: "", name: "n2")))
    }

    @Test("A folder that no header field may carry is hashed")
    func controlCharacters() { #expect(isHashed(text(subject(folder: "a\u{1}b")))) }
}
