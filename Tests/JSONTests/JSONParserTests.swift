import JSON
import Testing

@Suite("Reading JSON that a stranger wrote")
struct JSONParserTests {
    private func parse(_ text: String, maximumDepth: Int = 16) throws -> JSONValue {
        try JSONParser.parse(Array(text.utf8), maximumDepth: maximumDepth)
    }

    private func refusal(_ bytes: [UInt8], maximumDepth: Int = 16) -> JSONParser.Reason? {
        do throws(JSONParser.Failure) {
            _ = try JSONParser.parse(bytes, maximumDepth: maximumDepth)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(
        "Each kind of value is read",
        arguments: [
            ("null", JSONValue.null), ("true", .boolean(true)), ("false", .boolean(false)),
            (" \t\r\n0 ", .integer(0)), ("-12", .integer(-12)),
            ("9223372036854775807", .integer(.max)), ("9223372036854775808", .number(0x1p63)),
            ("1.5e1", .number(15)), ("1E2", .number(100)), ("0.0", .number(0)),
            (#""\u00e4\ud83d\udd14\/\b\f\t\r\n""#, .string("ä🔔/\u{8}\u{C}\t\r\n")),
            ("[]", .array([])), ("[1,[2]]", .array([.integer(1), .array([.integer(2)])])),
            ("{}", .object([:])), (#"{"a":1, "b" : [] }"#, .object(["a": .integer(1), "b": .array([])])),
        ])
    func values(text: String, expected: JSONValue) throws {
        #expect(try parse(text) == expected)
    }

    private static let refused: [(String, JSONParser.Reason)] = [
        ("", .truncated), ("{", .truncated), (#"{"a""#, .truncated), (#"{"a":"#, .truncated),
        ("[1,", .truncated),
        (#""abc"#, .truncated), (#""a\"#, .truncated), (#""\u12"#, .truncated), ("tru", .truncated),
        ("nul1", .unexpectedByte), ("'a'", .unexpectedByte), ("{a:1}", .unexpectedByte),
        ("[1,]", .unexpectedByte), (#"{"a":1,}"#, .unexpectedByte), ("\"a\nb\"", .unexpectedByte),
        ("1 2", .trailingBytes), ("{}}", .trailingBytes), ("nullx", .trailingBytes),
        (#""\x""#, .invalidEscape), (#""\u12g4""#, .invalidEscape), (#""\udd14""#, .unexpectedByte),
        (#""\ud83dx""#, .unexpectedByte), (#""\ud83d\u0041""#, .invalidEscape),
        ("01", .invalidNumber), ("-", .unexpectedByte), ("1.", .invalidNumber), ("1e", .invalidNumber),
        ("+1", .unexpectedByte), (".5", .unexpectedByte), ("1e999", .invalidNumber), ("NaN", .unexpectedByte),
        (#"{"a":1,"a":2}"#, .duplicateName), (#"{"a":1,"\u0061":2}"#, .duplicateName),
    ]

    @Test("What the standard forbids is refused by reason", arguments: refused)
    func refusals(text: String, expected: JSONParser.Reason) {
        #expect(refusal(Array(text.utf8)) == expected)
    }

    @Test(
        "Strings that aren't UTF-8 are refused",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80]]
            as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(refusal([0x22] + bytes + [0x22]) == .invalidUTF8)
    }

    @Test("Nesting stops at the limit, however deep the text goes on")
    func depth() throws {
        #expect(try parse("[[1]]", maximumDepth: 2) == .array([.array([.integer(1)])]))
        #expect(refusal(Array("[[[1]]]".utf8), maximumDepth: 2) == .tooDeep)
        #expect(refusal([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) == .tooDeep)
        #expect(refusal(Array(String(repeating: #"{"a":"#, count: 100_000).utf8)) == .tooDeep)
    }

    @Test("A number of a million digits is refused, not a trap")
    func longNumber() {
        #expect(refusal([UInt8](repeating: UInt8(ascii: "9"), count: 1_000_000)) == .invalidNumber)
    }

    @Test("A refusal says where, and never quotes the text")
    func description() {
        do throws(JSONParser.Failure) {
            _ = try JSONParser.parse(Array(#"{"secret":secret}"#.utf8))
            Issue.record("parsed")
        } catch {
            #expect(error.description == "unexpected byte at byte 10")
        }
    }

    @Test("Random bytes never trap")
    func randomBytes() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array(#"{}[]":,\u0d8e-+.1 tfn"#.utf8) + [0x00, 0x80, 0xC3, 0xFF]
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...40, using: &random)
            let bytes = (0..<length).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            guard let value = try? JSONParser.parse(bytes) else { continue }
            #expect(bytes.contains { $0 > 0x20 }, "white space alone gave \(value)")
        }
    }
}
