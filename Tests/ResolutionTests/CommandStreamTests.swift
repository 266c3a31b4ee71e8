import IMAP
import Resolution
import Spool
import TestSupport
import Testing

@Suite("What a stranger's mail can have the server hear")
struct CommandStreamTests {
    @Test(
        "Hostile Message-IDs, folders and file names reach the server as strings, and the commands are ours")
    func hostile() throws {
        var random = SplitMix(state: 20_261_130)
        var asked = 0
        for _ in 0..<3000 {
            let question = Question(
                folder: "f" + Self.text(&random), filed: random.chance(3) ? nil : Self.text(&random),
                id: random.chance(4) ? "" : Self.text(&random), hint: random.chance(2) ? 3 : nil,
                account: Self.text(&random))
            var server = StrictServer()
            server.takesLiteralPlus = random.chance(2)
            server.knowsGUID = random.chance(2)
            if !server.takesLiteralPlus { server.greeting = "* OK [CAPABILITY IMAP4rev1] ." }
            server.namespace = ["NIL", #"(("" "."))"#, #"(("INBOX." "."))"#][random.below(3)]
            // The last of the names is the folder's, so that all are tried and the questions are asked.
            let names = FolderNames.candidates(
                for: question.folder,
                in: server.namespace.contains("INBOX")
                    ? [.init(prefix: Array("INBOX.".utf8), separator: 46)]
                    : server.namespace == "NIL" ? [] : [.init(prefix: [], separator: 46)])
            let id = String(decoding: question.messageID, as: UTF8.self)
            server.folders[names.last ?? ""] = .init(
                uidValidity: 1, mails: [.init(uid: 3, messageID: "(c)" + id)])
            var talk = Conversation(server, account: question.account)
            do {
                _ = try talk.ask(question)
            } catch IMAPFault.unsayable where question.account.utf8.contains(0) || question.account.isEmpty {
                #expect(talk.server.commands.isEmpty)
                continue
            }
            asked += 1
            let expected = Self.commands(for: question, names, knowsGUID: server.knowsGUID)
            #expect(talk.server.commands == expected)
        }
        #expect(asked > 2000)
    }

    /// What the server should hear, said once more in other words.
    private static func commands(for question: Question, _ names: [String], knowsGUID: Bool) -> [[String]] {
        var commands = [["NAMESPACE"]]
        // No server is asked for a folder whose name no entry may have.
        if names.isEmpty { return commands }
        for name in names {
            commands.append(["EXAMINE", "=" + String(decoding: ModifiedUTF7.encode(name), as: UTF8.self)])
        }
        let search = ["UID", "SEARCH", "UID", "1:*"]
        if let guid = question.guid {
            commands.append(search + ["X-GUID", "=" + String(decoding: guid, as: UTF8.self)])
        }
        func fetch(_ uids: String) -> [String] {
            ["UID", "FETCH", uids]
                + ["(UID", "INTERNALDATE", "BODY.PEEK[HEADER.FIELDS", "(MESSAGE-ID)]<0.1024>)"]
        }
        if !question.messageID.isEmpty {
            commands.append(
                search + ["HEADER", "Message-ID", "=" + String(decoding: question.messageID, as: UTF8.self)])
            commands.append(fetch("3"))
        } else if question.guid == nil, question.uidHint != nil {
            commands.append(fetch((3..<19).map(String.init).joined(separator: ",")))
        }
        return commands
    }

    private static func text(_ random: inout SplitMix) -> String {
        let parts = [
            "\r\n", "A9 DELETE INBOX", "\"", "\\", "{3}", "{3+}\r\n", "a", "<x@y>", "INBOX", ".", "/", "*",
            "%", " ",
            "ü", "📬", "&", "&-", "(", ")", "]", "\0", "\n", "\r", "UID", ":2,S", "1:*", "+", "\u{7F}",
            "\u{85}", "NIL",
        ]
        let length = random.chance(20) ? 200 : random.below(6)
        return (0..<length).map { _ in parts[random.below(parts.count)] }.joined()
    }
}
