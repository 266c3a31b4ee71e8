import IMAP
import TestSupport
import Testing

@Suite("Responses of a server")
struct ResponseReaderTests {
    /// What Dovecot 2.3.19 says, with the responses that there is use for.
    private static let transcript: [(String, Response)] = [
        (
            "* OK [CAPABILITY IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE LITERAL+ AUTH=PLAIN] ready.\r\n",
            .status(.init(.ok, .capability([.initialResponse, .literalPlus])))
        ),
        (
            "A1 OK [CAPABILITY IMAP4rev1 LITERAL-] Logged in\r\n",
            .tagged(tag, .init(.ok, .capability(.literalMinus)))
        ),
        ("* NAMESPACE ((\"\" \".\")) NIL NIL\r\n", .namespace([Namespace(prefix: [], separator: 46)])),
        ("* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)\r\n", .other),
        ("* OK [PERMANENTFLAGS ()] Read-only mailbox.\r\n", .status(.init(.ok))),
        ("* 3 EXISTS\r\n", .other),
        ("* OK [UIDVALIDITY 1796036118] UIDs valid\r\n", .status(.init(.ok, .uidValidity(1_796_036_118)))),
        ("* OK [UIDNEXT 4] Predicted next UID\r\n", .status(.init(.ok, .uidNext(4)))),
        ("A1 OK [READ-ONLY] Examine completed (0.034 + 0.000 secs).\r\n", .tagged(tag, .init(.ok))),
        ("* SEARCH 2 4294967295\r\n", .search([2, .max])),
        ("* SEARCH\r\n", .search([])),
        ("* SEARCH 2 (MODSEQ 917162500)\r\n", .search([2])),
        (
            "* 2 FETCH (UID 2 INTERNALDATE \"30-Nov-2026 10:54:58 +0000\" "
                + "BODY[HEADER.FIELDS (MESSAGE-ID)]<0> {22}\r\nMessage-ID: <m2@x>\r\n\r\n)\r\n",
            .fetch(
                .init(uid: 2, internalDate: 1_796_036_098, header: Array("Message-ID: <m2@x>\r\n\r\n".utf8)))
        ),
        ("* 5 FETCH (FLAGS (\\Seen) MODSEQ (12))\r\n", .fetch(.init())),
        ("* 5 FETCH (X \"a)\" Y (b {3}\r\n)))c) UID 7 BODY[] NIL)\r\n", .fetch(.init(uid: 7))),
        ("+ \r\n", .goOn),
        ("+ OK\r\n", .goOn),
        ("A1 NO Mailbox doesn't exist: nope {5}\r\n", .tagged(tag, .init(.no))),
        ("A1 BAD Error in IMAP command UID SEARCH: Unknown argument X-GUID\r\n", .tagged(tag, .init(.bad))),
        ("* BYE Logging out\r\n", .status(.init(.bye))),
        ("* PREAUTH welcome\r\n", .status(.init(.preauthenticated))),
        ("* CAPABILITY IMAP4rev1 sasl-ir\r\n", .capability(.initialResponse)),
        (
            "* NAMESPACE ((\"INBOX.\" \".\" \"X-A\" (\"b\"))(\"\" NIL)) ((\"~\" \"/\")) NIL\r\n",
            .namespace([
                Namespace(prefix: Array("INBOX.".utf8), separator: 46), Namespace(prefix: [], separator: nil),
            ])
        ),
        ("* NAMESPACE NIL NIL NIL\r\n", .namespace([])),
    ]
    private static let tag = Array("A1".utf8)

    @Test("What Dovecot says is understood, wherever it is cut", arguments: [1, 2, 7, 64, 100_000])
    func transcript(piece: Int) throws {
        let bytes = Self.transcript.flatMap { Array($0.0.utf8) }
        var reader = ResponseReader()
        var responses: [Response] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            reader.receive(Array(bytes[start..<min(start + piece, bytes.count)]))
            while let response = try reader.next() { responses.append(response) }
        }
        #expect(responses == Self.transcript.map(\.1))
    }

    @Test(
        "What isn't a response is a fault",
        arguments: [
            "\r\n", "*\r\n", "* \r\n", "A1\r\n", "A1 SEARCH 1\r\n", "* OK\n", "\n", "* OK [UIDNEXT 4\r\n",
            "* OK [] x\r\n", "* OK [UIDNEXT] x\r\n", "* OK [UIDNEXT 4294967296] x\r\n",
            "* OK [UIDVALIDITY -1] x\r\n",
            "* SEARCH a\r\n", "* SEARCH 4294967296\r\n", "* SEARCH 99999999999999999999\r\n",
            "* 1 FETCH x\r\n",
            "* 1 FETCH (UID)\r\n", "* 1 FETCH (UID x)\r\n", "* 1 FETCH (UID 1\r\n", "* 1 FETCH ((UID 1))\r\n",
            "* 1 FETCH (BODY[] \"abc)\r\n", "* 1 FETCH (BODY[] \"abc\\\r\n", "* 1 FETCH (BODY[] {2}x)\r\n",
            "* 1 FETCH (BODY[] {a}\r\nabc)\r\n", "* 1 FETCH (BODY[] {-1}\r\nabc)\r\n",
            "* 1 FETCH (BODY[] abc)\r\n",
            "* 1 FETCH (FLAGS (()\r\n", "* NAMESPACE ((\"\" \"..\"))\r\n", "* NAMESPACE ((\"\"))\r\n",
            "* NAMESPACE ((\"a\" \".\")\r\n", "* NAMESPACE (a)\r\n",
        ])
    func malformed(text: String) {
        var reader = ResponseReader()
        reader.receive(Array(text.utf8))
        #expect(throws: IMAPFault.malformed) { while try reader.next() != nil {} }
    }

    @Test(
        "A response that doesn't end, or announces too much, is a fault before it fills the memory",
        arguments: [
            (" 1 FETCH (BODY[] {65536}\r\n", 1), (" 1 FETCH (BODY[] {4294967295}\r\n", 1),
            (" 1 FETCH (BODY[] {60000}\r\n", 2), (" 1", 40_000), (" 1 \r", 40_000), ("{0}\r\n", 20_000),
            ("(", 70_000),
        ])
    func oversized(text: String, times: Int) {
        var reader = ResponseReader()
        reader.receive(Array(("*" + String(repeating: text, count: times)).utf8))
        if text.hasSuffix("\r") { reader.receive([UInt8(ascii: "\n")]) }
        if times == 2 { reader.receive(Array(repeating: UInt8(ascii: "x"), count: 70_000)) }
        #expect(throws: IMAPFault.oversized) { while try reader.next() != nil {} }
    }

    @Test("A literal of ten digits too many isn't one, and the line with it no response")
    func hugeLiteral() {
        var reader = ResponseReader()
        reader.receive(Array("* 1 FETCH (BODY[] {99999999999}\r\n".utf8))
        #expect(throws: IMAPFault.malformed) { try reader.next() }
    }

    @Test("The text of a status never has a literal, though it ends like one")
    func statusLikeLiteral() throws {
        var reader = ResponseReader()
        reader.receive(Array("* NO no such folder: a {1000}\r\nA1 OK {7}\r\n".utf8))
        #expect(try reader.next() == .status(.init(.no)))
        #expect(try reader.next() == .tagged(Self.tag, .init(.ok)))
    }

    @Test(
        "Parentheses inside each other by ten thousands are passed over, come they a byte at a time"
    )
    func depth() throws {
        let depth = 20_000
        let text =
            "* 1 FETCH (X " + String(repeating: "(", count: depth) + String(repeating: ")", count: depth)
            + " UID 3)\r\n"
        var reader = ResponseReader()
        var response: Response?
        for byte in text.utf8 {
            reader.receive([byte])
            response = try reader.next() ?? response
        }
        #expect(response == .fetch(.init(uid: 3)))
    }

    @Test("Bytes made up from responses never trap, and give no more than there was")
    func madeUp() {
        var random = SplitMix(state: 20_261_130)
        let parts = Self.transcript.map { Array($0.0.utf8) }
        for _ in 0..<20_000 {
            var bytes = parts[random.below(parts.count)] + parts[random.below(parts.count)]
            for _ in 0...random.below(4) {
                let place = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[place] = UInt8(random.below(256))
                case 1: bytes.remove(at: place)
                default: bytes.insert(Array("(){}[]\"\\\r\n 0*+".utf8)[random.below(14)], at: place)
                }
            }
            var reader = ResponseReader()
            reader.receive(bytes)
            var count = 0
            while (try? reader.next()) != nil { count += 1 }
            #expect(count <= 6)
        }
    }
}
