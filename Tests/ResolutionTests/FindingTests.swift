import Testing

@testable import Resolution

@Suite("Which of the messages that were found is meant")
struct FindingTests {
    private static func chosen(
        _ candidates: [(uid: UInt32, id: String, later: Int64?)], by clue: Finding.Clue = .messageID,
        id: String = "<a@x>",
        taken: Set<UInt32> = []
    ) -> UInt32? {
        let finding = Finding(
            folder: "INBOX", uidValidity: 1, clue: clue,
            candidates: candidates.map { candidate in
                Finding.Candidate(
                    uid: candidate.uid, messageID: Array(candidate.id.utf8),
                    receivedAt: candidate.later.map { StrictServer.seconds + $0 })
            })
        return finding.message(for: Question(id: id), isTaken: taken.contains)
    }

    @Test("A message whose Message-ID only holds the one that is looked for isn't it")
    func substring() {
        #expect(Self.chosen([(7, "<aa@x>", 0), (5, "<a@x>", 0), (9, "x<a@x>", 0)]) == 5)
        #expect(Self.chosen([(7, "<a@x>>", 0)]) == nil)
        #expect(Self.chosen([(7, "<A@x>", 0)]) == nil)
        #expect(Self.chosen([]) == nil)
    }

    @Test("A copy that came long before or after is another mail")
    func copies() {
        #expect(Self.chosen([(5, "<a@x>", -86_400), (9, "<a@x>", -3)]) == 9)
        #expect(Self.chosen([(5, "<a@x>", -61)]) == nil)
        #expect(Self.chosen([(5, "<a@x>", -60)]) == 5)
        #expect(Self.chosen([(5, "<a@x>", 60)]) == 5)
        #expect(Self.chosen([(5, "<a@x>", 61)]) == nil)
        #expect(Self.chosen([(5, "<a@x>", nil)]) == nil)
        #expect(Self.chosen([(5, "<a@x>", .max - StrictServer.seconds)]) == nil)
    }

    @Test(
        "Of copies that came together the nearest is meant, then the first, and none that another notice has")
    func twice() {
        #expect(Self.chosen([(9, "<a@x>", 0), (5, "<a@x>", 2)]) == 9)
        #expect(Self.chosen([(9, "<a@x>", 1), (5, "<a@x>", 1)]) == 5)
        #expect(Self.chosen([(9, "<a@x>", 1), (5, "<a@x>", -1)]) == 5)
        #expect(Self.chosen([(9, "<a@x>", 0), (5, "<a@x>", 0)], taken: [5]) == 9)
        #expect(Self.chosen([(9, "<a@x>", 0), (5, "<a@x>", 0)], taken: [5, 9]) == nil)
    }

    @Test("A file's name means one message, whatever its date; two are doubtful")
    func guid() {
        #expect(Self.chosen([(5, "", nil)], by: .guid, taken: [5]) == 5)
        #expect(Self.chosen([(5, "", nil), (6, "", nil)], by: .guid) == nil)
    }

    @Test("A guess counts for a mail without a Message-ID that came when ours did")
    func hint() {
        #expect(Self.chosen([(5, "", 3)], by: .hint, id: "") == 5)
        #expect(Self.chosen([(5, "<b@x>", 3)], by: .hint, id: "") == nil)
        #expect(Self.chosen([(5, "", 300)], by: .hint, id: "") == nil)
        #expect(Self.chosen([(0, "", 0)], by: .hint, id: "") == nil)
    }

    @Test("Of two mails without a Message-ID that came together a guess names neither")
    func doubtfulHint() {
        #expect(Self.chosen([(5, "", 0), (6, "", 1)], by: .hint, id: "") == nil)
        #expect(Self.chosen([(5, "<b@x>", 0), (6, "", 1), (7, "", 300)], by: .hint, id: "") == 6)
    }

    @Test(
        "Only a file's name that a delivery could have made is asked for, and only a usable Message-ID",
        arguments: [
            ("179.M1P2.host:2,S", "179.M1P2.host"), ("179.M1P2.host,S=3", "179.M1P2.host,S=3"), ("a b", nil),
            ("../x", nil), ("a/b", nil), ("ä", nil), ("", nil), (":2,S", nil), ("a\r\nb", nil),
            (String(repeating: "a", count: 256), nil),
        ])
    func question(filed: String, guid: String?) {
        #expect(Question(hint: 0).uidHint == nil)
        #expect(Question(filed: filed).guid == guid.map { Array($0.utf8) })
        #expect(Question(id: "<a b>").messageID.isEmpty && Question(id: "<a\r\n>").messageID.isEmpty)
        #expect(Question(id: String(repeating: "a", count: 251)).messageID.isEmpty)
    }
}
