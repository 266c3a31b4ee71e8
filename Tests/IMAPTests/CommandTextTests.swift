import IMAP
import Testing

@Suite("Commands")
struct CommandTextTests {
    private static let login = MasterLogin(user: "doorbell", password: Array("secret".utf8))
    private static let tag = Array("A7".utf8)

    private func text(_ command: Command, _ capabilities: Capabilities = []) throws -> [String] {
        try CommandText(command, tag: Self.tag, capabilities).pieces.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("Each is written as the server reads it, in one piece where every byte is harmless")
    func plain() throws {
        #expect(try text(.namespace) == ["A7 NAMESPACE\r\n"])
        #expect(try text(.noop) == ["A7 NOOP\r\n"])
        #expect(try text(.logout) == ["A7 LOGOUT\r\n"])
        #expect(try text(.examine(Array("Lists/a&-b".utf8))) == ["A7 EXAMINE \"Lists/a&-b\"\r\n"])
        #expect(
            try text(.search(.messageID(Array("<a@b>".utf8)), from: 40))
                == ["A7 UID SEARCH UID 40:* HEADER Message-ID \"<a@b>\"\r\n"])
        #expect(
            try text(.search(.guid(Array("179.M1P2.host".utf8)), from: 1))
                == ["A7 UID SEARCH UID 1:* X-GUID \"179.M1P2.host\"\r\n"])
        #expect(
            try text(.fetch([3, 4_000_000_000])) == [
                "A7 UID FETCH 3,4000000000 (UID INTERNALDATE BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]<0.1024>)\r\n"
            ])
    }

    @Test(
        "A name with quotes, braces or wild cards is a literal, which waits where the server has to allow it")
    func literals() throws {
        let folder = Command.examine(Array("a\"b} {9+}".utf8))
        #expect(try text(folder) == ["A7 EXAMINE {9}\r\n", "a\"b} {9+}\r\n"])
        #expect(try text(folder, .literalPlus) == ["A7 EXAMINE {9+}\r\na\"b} {9+}\r\n"])
        #expect(try text(folder, .literalMinus) == ["A7 EXAMINE {9+}\r\na\"b} {9+}\r\n"])
        let long = Command.examine(Array(repeating: UInt8(ascii: "a"), count: 4097))
        #expect(try text(long, .literalMinus).count == 2)
        #expect(try text(long, .literalPlus).count == 1)
        #expect(try text(.examine([0xFF, 0x22])).count == 2)
    }

    @Test("The login goes with its command where the server takes it so, and else when it is asked for")
    func login() throws {
        let message = "YWxpY2UAZG9vcmJlbGwAc2VjcmV0"
        let login = Command.authenticate(account: "alice", Self.login)
        #expect(try text(login, .initialResponse) == ["A7 AUTHENTICATE PLAIN \(message)\r\n"])
        #expect(try text(login) == ["A7 AUTHENTICATE PLAIN\r\n", "\(message)\r\n"])
    }

    @Test("CR, LF, NUL and nothing at all are refused", arguments: ["a\r", "\n", "a\0b", ""])
    func unsayable(text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: IMAPFault.unsayable) { try self.text(.examine(bytes)) }
        #expect(throws: IMAPFault.unsayable) { try self.text(.search(.guid(bytes), from: 1), .literalPlus) }
        #expect(throws: IMAPFault.unsayable) { try self.text(.search(.messageID(bytes), from: 1)) }
        #expect(throws: IMAPFault.unsayable) { try self.text(.fetch([])) }
        guard text.isEmpty || text.contains("\0") else { return }
        #expect(throws: IMAPFault.unsayable) { try self.text(.authenticate(account: text, Self.login)) }
    }

    @Test("A login can't be shown by mistake")
    func secrecy() {
        let command = Command.authenticate(account: "alice", Self.login)
        var dumped = ""
        dump(command, to: &dumped)
        for text in [
            "\(Self.login)", "\(command)", String(reflecting: command), String(reflecting: Self.login),
            dumped,
        ] {
            #expect(!text.contains("secret") && !text.contains("115"))
        }
    }

    @Test(
        "Base64 is padded as RFC 4648 has it",
        arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")])
    func base64(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == Array(encoded.utf8))
        #expect(Base64.encode([0xFB, 0xFF]) == Array("+/8=".utf8))
    }
}
