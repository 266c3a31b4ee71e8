import JSON
import Resolution
import TestSupport
import Testing

@Suite("Asking doveadm")
struct DoveadmDialogueTests {
    private static let guid = "2ba6892b16560d6b5101000083ecc375"

    private static func answer(_ body: String, status: Int = 200) -> [UInt8] {
        Array(
            "HTTP/1.1 \(status) .\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                .utf8)
    }

    private static func body(mailboxGUID: String = guid, id: String = "<m2@x>", uid: String = "2") -> String {
        #"[["doveadmResponse",[{"mailbox":"INBOX","uidvalidity":"17","guid":"\#(guid)"}],"folder"],"#
            + #"["doveadmResponse",[{"uid":"\#(uid)","mailbox-guid":"\#(mailboxGUID)","hdr.message-id":"\#(id)","#
            + #""date.received.unixtime":"\#(StrictServer.seconds)"}],"mail"]]"#
    }

    /// The commands of a request, as doveadm reads them.
    private func commands(_ request: [UInt8]) throws -> JSONValue {
        let text = String(decoding: request, as: UTF8.self)
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
        #expect(parts.count == 2)
        #expect(text.contains("Content-Length: \(parts[1].utf8.count)\r\n"))
        return try JSONParser.parse(Array(parts[1].utf8))
    }

    private func command(_ value: JSONValue, _ place: Int, _ name: String) -> [JSONValue]? {
        value.array?[place].array?[1][name]?.array
    }

    @Test("A request has the key, and asks for the folder and the mail")
    func request() throws {
        let dialogue = try #require(
            DoveadmDialogue(Question(filed: "g7", id: "<a@x>"), key: Array("key".utf8)))
        let text = String(decoding: dialogue.request, as: UTF8.self)
        #expect(text.hasPrefix("POST /doveadm/v1 HTTP/1.1\r\nHost: localhost\r\n"))
        #expect(text.contains("\r\nAuthorization: X-Dovecot-API a2V5\r\n"))
        let commands = try commands(dialogue.request)
        #expect(commands.array?[0].array?[0] == .string("mailboxStatus"))
        #expect(command(commands, 0, "mailboxMask") == [.string("INBOX")])
        #expect(commands.array?[1].array?[1]["user"] == .string("alice"))
        #expect(command(commands, 1, "query") == ["mailbox", "INBOX", "guid", "g7"].map(JSONValue.string))
    }

    @Test("A mail is found by the name of its file or its Message-ID, as the hook reads it")
    func found() throws {
        var dialogue = try #require(DoveadmDialogue(Question(id: "<m2@x>"), key: []))
        #expect(
            command(try commands(dialogue.request), 1, "query")
                == ["mailbox", "INBOX", "header", "message-id", "<m2@x>"].map(JSONValue.string))
        let bytes = Self.answer(Self.body(id: #"\n <m2@x> (comment)\n<second@x>"#))
        #expect(try dialogue.receive(Array(bytes.dropLast())) == .wait)
        let candidate = Finding.Candidate(
            uid: 2, messageID: Array("<m2@x>".utf8), receivedAt: StrictServer.seconds)
        #expect(
            try dialogue.receive(bytes.suffix(1))
                == .answer(
                    .found(
                        Finding(folder: "INBOX", uidValidity: 17, clue: .messageID, candidates: [candidate])))
        )
    }

    @Test(
        "A folder that isn't there, or can't be, is asked for by its other names, each with a request of its own",
        arguments: [68, 64])
    func names(exitCode: Int) throws {
        var dialogue = try #require(DoveadmDialogue(Question(folder: "a.b", filed: "g"), key: []))
        var asked: [JSONValue] = []
        let missing = Self.answer(
            #"[["error",{"type":"exitCode", "exitCode":\#(exitCode)},"folder"],["error",{},"mail"]]"#
        )
        while true {
            asked += command(try commands(dialogue.request), 0, "mailboxMask") ?? []
            if try dialogue.receive(missing) == .answer(.nothing) { break }
        }
        #expect(asked == ["a.b", "a/b", "INBOX.a.b"].map(JSONValue.string))
    }

    @Test("A mail in a folder that was made anew between the two commands isn't named")
    func renumbered() throws {
        var dialogue = try #require(DoveadmDialogue(Question(filed: "g"), key: []))
        #expect(try dialogue.receive(Self.answer(Self.body(mailboxGUID: "other"))) == .answer(.nothing))
    }

    @Test("Where the file's name isn't found the Message-ID is looked for, with a request of its own")
    func otherClue() throws {
        var dialogue = try #require(DoveadmDialogue(Question(filed: "g", id: "<m2@x>"), key: []))
        let none = Self.answer(Self.body(mailboxGUID: "other"))
        #expect(try dialogue.receive(none) == .askAgain)
        #expect(command(try commands(dialogue.request), 1, "query")?.suffix(2).first == .string("message-id"))
        guard case .answer(.found(let found)) = try dialogue.receive(Self.answer(Self.body())) else {
            Issue.record("not found")
            return
        }
        #expect(found.clue == .messageID && found.candidates.map(\.uid) == [2])
    }

    @Test(
        "Of a uid that is known only the mailbox is asked for; of a guess, and of a pattern of accounts, nothing"
    )
    func knownUID() throws {
        var question = Question(filed: "g", id: "<m2@x>")
        question.uid = 2
        var dialogue = try #require(DoveadmDialogue(question, key: []))
        #expect(
            command(try commands(dialogue.request), 1, "query")
                == ["mailbox", "INBOX", "uid", "2"].map(JSONValue.string))
        guard case .answer(.found(let found)) = try dialogue.receive(Self.answer(Self.body())) else {
            Issue.record("not found")
            return
        }
        #expect(found.clue == .entry && found.uidValidity == 17)
        #expect(DoveadmDialogue(Question(hint: 4), key: []) == nil)
        #expect(DoveadmDialogue(Question(id: "<a@x>", account: "al?ce"), key: []) == nil)
        #expect(DoveadmDialogue(Question(id: "<a@x>", account: "al?ce"), key: []) == nil)
    }

    @Test("A folder whose name is a pattern to doveadm is told from others that it matches")
    func patterns() throws {
        func row(_ folder: String) -> String {
            #"{"mailbox":"\#(folder)","uidvalidity":"17","guid":"\#(folder)"}"#
        }
        func mail(_ folder: String, _ uid: Int) -> String {
            #"{"uid":"\#(uid)","mailbox-guid":"\#(folder)","hdr.message-id":"","date.received.unixtime":"1"}"#
        }
        func answer(_ folders: [String]) -> [UInt8] {
            let rows = folders.map(row).joined(separator: ",")
            let mails = folders.enumerated().map { mail($1, $0 + 1) }.joined(separator: ",")
            return Self.answer(
                #"[["doveadmResponse",[\#(rows)],"folder"],["doveadmResponse",[\#(mails)],"mail"]]"#)
        }
        var dialogue = try #require(DoveadmDialogue(Question(folder: "a*b", filed: "g"), key: []))
        guard case .answer(.found(let found)) = try dialogue.receive(answer(["axb", "a*b", "ab"])) else {
            Issue.record("not found")
            return
        }
        #expect(found.folder == "a*b" && found.candidates.map(\.uid) == [2])
        dialogue = try #require(DoveadmDialogue(Question(folder: "a%b", filed: "g"), key: []))
        #expect(try dialogue.receive(answer(["axb", "ab"])) == .askAgain)
    }

    @Test(
        "Refusals, failures and nonsense are faults that keep nothing of what was said",
        arguments: [
            (401, "", DoveadmDialogue.Fault.lockedOut), (500, "x", .failed), (200, "x", .malformed),
            (200, "[]", .malformed),
            (200, #"[["error",{"exitCode":67},"folder"]]"#, .refused),
            (200, #"[["error",{"exitCode":75},"folder"]]"#, .failed),
            (200, #"[["error",{},"folder"]]"#, .failed),
            (
                200,
                #"[["doveadmResponse",[{"mailbox":"INBOX2","guid":"g","uidvalidity":"1"}],"folder"],["doveadmResponse",[],"mail"]]"#,
                .malformed
            ),
            (200, #"[["doveadmResponse",[],"folder"]]"#, .malformed),
            (200, #"[["doveadmResponse",[],"folder"],["error",{"exitCode":64},"mail"]]"#, .failed),
            (
                200,
                #"[["doveadmResponse",[{"mailbox":"INBOX"},{"mailbox":"INBOX"}],"folder"],["doveadmResponse",[],"mail"]]"#,
                .malformed
            ),
            (
                200,
                #"[["doveadmResponse",[{"mailbox":"INBOX","guid":"g","uidvalidity":"0"}],"folder"],["doveadmResponse",[],"mail"]]"#,
                .malformed
            ),
        ])
    func faults(status: Int, body: String, fault: DoveadmDialogue.Fault) throws {
        var dialogue = try #require(DoveadmDialogue(Question(filed: "g"), key: []))
        #expect(throws: fault) { try dialogue.receive(Self.answer(body, status: status)) }
    }

    @Test(
        "More answers than there is room for are doubtful, and no trouble", arguments: ["65537", "99999999"])
    func oversized(length: String) throws {
        var dialogue = try #require(DoveadmDialogue(Question(id: "<a@x>"), key: []))
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8)
        #expect(try dialogue.receive(head) == .answer(.nothing))
    }

    @Test("Hostile names and Message-IDs are arguments of their own, whatever they hold")
    func hostile() throws {
        var random = SplitMix(state: 7)
        let parts = [
            "\"", "\\", "]", "[", "{", "},\"x\"]", "\r\n\r\n", "OR", " ", "ü", "📬", "(", "a", "\u{1}", "/",
            ".",
        ]
        func text() -> String {
            (0..<(1 + random.below(8))).map { _ in parts[random.below(parts.count)] }.joined()
        }
        for _ in 0..<2000 {
            let (folder, account, id) = (text(), text(), text())
            let question = Question(folder: folder, filed: text(), id: id, account: account)
            guard let dialogue = DoveadmDialogue(question, key: [1]) else { continue }
            let commands = try commands(dialogue.request)
            #expect(commands.array?.count == 2)
            #expect(commands.array?[0].array?.count == 3 && commands.array?[1].array?.count == 3)
            #expect(commands.array?[1].array?[1]["user"]?.string == account)
            let last = question.guid ?? question.messageID
            #expect(command(commands, 1, "query")?.last?.string == String(decoding: last, as: UTF8.self))
            #expect(command(commands, 1, "query")?[1].string == folder)
        }
    }

    @Test("Who can't be reached or talks nonsense is the server; what fails is the account's")
    func blame() {
        #expect(Ending.allCases.map(DoveadmDialogue.failure) == [.server, .account, .account])
        let faults = DoveadmDialogue.Fault.allCases.map(DoveadmDialogue.failure)
        #expect(faults == [.server, .lockedOut, .refused, .account])
    }
}
