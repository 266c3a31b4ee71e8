import IMAP
import Resolution
import Testing

@Suite("Talking to an IMAP server")
struct MailboxDialogueTests {
    private static let server: StrictServer = {
        var server = StrictServer()
        server.folders = [
            "INBOX": .init(
                uidValidity: 17,
                mails: [
                    .init(uid: 4, guid: "g4", messageID: "<a@x>"),
                    .init(uid: 7, guid: "g7", messageID: "<b@x>"),
                ]),
            "Entwürfe.\"neu\" {5}": .init(
                uidValidity: 18, mails: [.init(uid: 1, guid: "g1", messageID: "<c@x>")]),
            "Archive/2026": .init(uidValidity: 19, mails: [.init(uid: 2, guid: "g2", messageID: "<d@x>")]),
        ]
        return server
    }()

    private static func found(
        _ uid: UInt32, _ clue: Finding.Clue, _ id: String = "", folder: String = "INBOX",
        uidValidity: UInt32 = 17
    ) -> Answer {
        .found(
            Finding(
                folder: folder, uidValidity: uidValidity, clue: clue,
                candidates: [
                    .init(
                        uid: uid, messageID: Array(id.utf8),
                        receivedAt: clue == .guid ? nil : StrictServer.seconds)
                ]))
    }

    @Test("A mail is found by the name of its file, and that is enough")
    func byGUID() throws {
        var talk = Conversation(Self.server)
        #expect(try talk.ask(Question(filed: "g7:2,S", id: "<a@x>")) == Self.found(7, .guid))
        #expect(talk.server.account == "YWxpY2UAZG9vcmJlbGwAc2VjcmV0")
        #expect(
            talk.server.commands == [
                ["NAMESPACE"], ["EXAMINE", "=INBOX"], ["UID", "SEARCH", "UID", "1:*", "X-GUID", "=g7"],
            ])
        #expect(talk.dialogue.isIdle)
    }

    @Test("A mail is found by its Message-ID, by servers that don't know the other way too")
    func byMessageID() throws {
        var server = Self.server
        server.knowsGUID = false
        var talk = Conversation(server)
        #expect(try talk.ask(Question(filed: "g7", id: "<a@x>")) == Self.found(4, .messageID, "<a@x>"))
        #expect(try talk.ask(Question(filed: "g7", id: "<b@x>")) == Self.found(7, .messageID, "<b@x>"))
        #expect(talk.server.commands.filter { $0.contains("X-GUID") }.count == 1)
    }

    @Test("A guess is checked only where nothing else is known")
    func byHint() throws {
        var server = Self.server
        server.folders["INBOX"]?.mails.append(.init(uid: 9))
        var talk = Conversation(server)
        #expect(try talk.ask(Question(hint: 9)) == Self.found(9, .hint))
        #expect(try talk.ask(Question(hint: 8)) == Self.found(9, .hint))
        #expect(try talk.ask(Question(hint: 10)) == .nothing)
        #expect(try talk.ask(Question(hint: .max)) == .nothing)
        #expect(try talk.ask(Question(filed: "gone", hint: 9)) == .nothing)
        #expect(try talk.ask(Question(id: "<gone@x>", hint: 9)) == .nothing)
    }

    @Test("A guess at a UID of the mailbox that was there before says nothing of this one")
    func hintOfAnother() throws {
        var server = Self.server
        server.folders["INBOX"]?.mails.append(.init(uid: 9))
        var talk = Conversation(server)
        var question = Question(hint: 9)
        question.uidValidity = 16
        #expect(try talk.ask(question) == .nothing)
        question.uidValidity = 17
        #expect(try talk.ask(question) == Self.found(9, .hint))
    }

    @Test("A folder that stays open is looked at again, and mail that came since is there")
    func openFolder() throws {
        var talk = Conversation(Self.server)
        #expect(try talk.ask(Question(id: "<new@x>")) == .nothing)
        talk.server.folders["INBOX"]?.mails.append(.init(uid: 8, messageID: "<new@x>"))
        #expect(try talk.ask(Question(id: "<new@x>")) == Self.found(8, .messageID, "<new@x>"))
        let commands = talk.server.commands.map { $0[0] }
        #expect(commands == ["NAMESPACE", "EXAMINE", "UID", "NOOP", "UID", "UID"])
    }

    @Test(
        "Names with umlauts, quotes and braces are opened as they are, without leave for literals too",
        arguments: [true, false])
    func names(plus: Bool) throws {
        var server = Self.server
        server.takesLiteralPlus = plus
        if !plus { server.greeting = "* OK ready" }
        var talk = Conversation(server)
        let folder = "Entwürfe.\"neu\" {5}"
        #expect(
            try talk.ask(Question(folder: folder, id: "<c@x>"))
                == Self.found(1, .messageID, "<c@x>", folder: folder, uidValidity: 18))
    }

    @Test("A folder that the server names otherwise is found and named as the server does")
    func otherName() throws {
        var server = Self.server
        server.namespace = #"(("" "/"))"#
        var talk = Conversation(server)
        #expect(
            try talk.ask(Question(folder: "Archive.2026", filed: "g2"))
                == Self.found(2, .guid, folder: "Archive/2026", uidValidity: 19))
        #expect(try talk.ask(Question(folder: "nowhere", filed: "g2")) == .nothing)
        #expect(try talk.ask(Question(filed: "g4")) == Self.found(4, .guid))
    }

    @Test("Two names that look alike are two folders")
    func lookAlikes() throws {
        var server = Self.server
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        server.folders[composed] = .init(uidValidity: 5, mails: [.init(uid: 1, guid: "composed")])
        var talk = Conversation(server)
        #expect(
            try talk.ask(Question(folder: composed, filed: "composed"))
                == Self.found(1, .guid, folder: composed, uidValidity: 5))
        #expect(try talk.ask(Question(folder: decomposed, filed: "composed")) == .nothing)
        #expect(
            talk.server.commands.filter { $0[0] == "EXAMINE" }.map { $0[1] } == ["=&AOk-", "=e&AwE-"])
    }

    @Test("Only what came lately is looked through, but all that came while the folder was open")
    func window() throws {
        var server = Self.server
        server.folders["INBOX"]?.mails.append(.init(uid: 50_000))
        var talk = Conversation(server)
        #expect(try talk.ask(Question(id: "<b@x>")) == .nothing)
        #expect(talk.server.commands.last?[3] == "49000:*")
        talk.server.folders["INBOX"]?.mails.append(.init(uid: 90_000, messageID: "<z@x>"))
        #expect(try talk.ask(Question(id: "<z@x>")) == Self.found(90_000, .messageID, "<z@x>"))
        #expect(try talk.ask(Question(id: "<b@x>")) == .nothing)
        #expect(talk.server.commands.last?[3] == "89000:*")
    }

    @Test("The newest sixteen of many that match are looked at")
    func manyMatches() throws {
        var server = Self.server
        server.folders["INBOX"]?.mails = (1...500).map { .init(uid: $0, messageID: "<a@x>") }
        var talk = Conversation(server)
        guard case .found(let finding) = try talk.ask(Question(id: "<a@x>")) else {
            Issue.record("nothing")
            return
        }
        #expect(finding.candidates.map(\.uid) == Array(485...500))
    }

    @Test("A folder that was made anew meanwhile ends the connection instead of giving an old UID")
    func renumbered() throws {
        var talk = Conversation(Self.server)
        #expect(try talk.ask(Question(id: "<a@x>")) == Self.found(4, .messageID, "<a@x>"))
        talk.server.chatter = "* OK [UIDVALIDITY 99] new\r\n"
        #expect(throws: IMAPFault.renumbered) { try talk.ask(Question(id: "<a@x>")) }
    }

    @Test("What the server tells unasked changes nothing")
    func chatter() throws {
        var server = Self.server
        server.chatter =
            "* 9 EXISTS\r\n* 3 EXPUNGE\r\n* 2 FETCH (FLAGS (\\Seen))\r\n* OK hi\r\n"
            + "* 2 FETCH (UID 5 BODY[HEADER.FIELDS (MESSAGE-ID)]<0> \"Message-ID: <a@x>\")\r\n"
            + String(repeating: "* 2 FETCH (UID 5 FLAGS ())\r\n* 1 FETCH (UID 4 FLAGS ())\r\n", count: 20)
        var talk = Conversation(server)
        #expect(try talk.ask(Question(id: "<a@x>")) == Self.found(4, .messageID, "<a@x>"))
    }

    @Test(
        "A server that says what it mustn't is left",
        arguments: [
            ("* BYE too many\r\n", IMAPFault.bye), ("* PREAUTH hello\r\n", .refused), ("* BAD\r\n", .refused),
            ("A1 OK\r\n", .unexpected), ("+ \r\n", .unexpected), ("* OK\r\nA1 NO no\r\n", .refused),
            ("* OK\r\nA1 NO [UNAVAILABLE] no\r\n", .refused),
            ("* OK\r\nA1 NO [authenticationfailed] no\r\n", .lockedOut),
            ("* OK\r\nA2 OK\r\n", .unexpected), ("* OK\r\n+ \r\n+ \r\n", .unexpected),
            ("* OK\r\nA1 OK\r\n* BYE\r\n", .bye), ("* OK\r\nA1 OK\r\nA1 OK\r\n", .unexpected),
            ("SSH-2.0-OpenSSH\r\n", .malformed),
        ])
    func outrageous(said: String, fault: IMAPFault) throws {
        var dialogue = Conversation(Self.server).dialogue
        try dialogue.ask(Question(id: "<a@x>"))
        #expect(throws: fault) { try dialogue.receive(Array(said.utf8)) }
    }

    @Test("A literal that the server has refused isn't sent when it says afterwards that it may come")
    func refusedLiteral() throws {
        var dialogue = Conversation(Self.server).dialogue
        try dialogue.ask(Question(folder: "a\"b", id: "<a@x>"))
        let said = Array("* OK\r\n+ \r\nA1 OK\r\nA2 OK\r\nA3 NO\r\n".utf8)
        #expect(try dialogue.receive(said) == .nothing)
        #expect(throws: IMAPFault.unexpected) { try dialogue.receive(Array("+ \r\n".utf8)) }
    }

    @Test("It knows whether the server lives, and says goodbye only where that can be understood")
    func lifeSigns() throws {
        var talk = Conversation(Self.server)
        talk.dialogue.leave()
        #expect(!talk.dialogue.hasGreeted && !talk.dialogue.isIdle && talk.dialogue.bytesToSend().isEmpty)
        _ = try talk.ask(Question(filed: "g4"))
        #expect(talk.dialogue.hasGreeted && talk.dialogue.isIdle)
        talk.dialogue.leave()
        #expect(talk.dialogue.bytesToSend() == Array("A5 LOGOUT\r\n".utf8))
    }

    @Test("A folder without a UIDVALIDITY has no UID that could be named", arguments: [UInt32(0), 1])
    func noUIDValidity(value: UInt32) throws {
        var server = Self.server
        server.folders["INBOX"]?.uidValidity = value
        var talk = Conversation(server)
        #expect(try (talk.ask(Question(filed: "g4")) == .nothing) == (value == 0))
    }

    @Test(
        "An ending is the server's, in a login a refusal, then the account's, and nobody's where an answer had come"
    )
    func blame() throws {
        var talk = Conversation(Self.server)
        #expect(Ending.allCases.map(talk.dialogue.failure) == [.server, .server, .server])
        #expect(talk.dialogue.failure(IMAPFault.bye) == .server && talk.dialogue.failure(.refused) == .server)
        _ = try talk.dialogue.receive(Array("* OK\r\n".utf8))
        #expect(Ending.allCases.map(talk.dialogue.failure) == [.server, .refused, .account])
        #expect(talk.dialogue.failure(IMAPFault.refused) == .refused)
        #expect(talk.dialogue.failure(IMAPFault.lockedOut) == .lockedOut)
        try talk.dialogue.ask(Question(filed: "g4"))
        _ = try talk.dialogue.receive(Array("A1 OK\r\n".utf8))
        #expect(talk.dialogue.failure(IMAPFault.bye) == .refused)
        _ = try talk.dialogue.receive(Array("A2 OK\r\n".utf8))
        #expect(Ending.allCases.map(talk.dialogue.failure) == [.server, .account, .account])
        #expect(talk.dialogue.failure(IMAPFault.bye) == .account)
        talk = Conversation(Self.server)
        _ = try talk.ask(Question(filed: "g4"))
        #expect(Ending.allCases.map(talk.dialogue.failure) == [.server, .stale, .account])
        #expect(
            talk.dialogue.failure(IMAPFault.bye) == .stale && talk.dialogue.failure(.renumbered) == .stale)
    }
}
