import Spool
import Testing

@Suite("Reading an entry that a stranger wrote")
struct SpoolEntryDecodingTests {
    private static let members = [
        ("v", "1"), ("user", #""alice""#), ("folder", #""INBOX""#), ("uid", "0"), ("msg_id", #""<x@y>""#),
        ("at", "1790000000000"),
    ]

    /// A good entry with one member replaced, added, or (nil) left out.
    private static func entry(_ name: String, _ value: String?) -> [UInt8] {
        var members = members.filter { $0.0 != name }
        if let value { members.append((name, value)) }
        return Array(("{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}\n").utf8)
    }

    private static let damaged: [(String, String?, SpoolEntryDamage)] = [
        ("v", nil, .wrongVersion), ("v", "2", .wrongVersion), ("v", #""1""#, .wrongVersion),
        ("v", "1.0", .wrongVersion),
        ("user", nil, .badUser), ("user", #""""#, .badUser), ("user", "7", .badUser),
        ("user", #""a\nb""#, .badUser), ("user", "\"\(String(repeating: "u", count: 257))\"", .badUser),
        ("folder", nil, .badFolder), ("folder", #""""#, .badFolder), ("folder", "null", .badFolder),
        ("folder", #""a\u0000""#, .badFolder), ("folder", #""a\u001b[2J""#, .badFolder),
        ("folder", #""a\u007f""#, .badFolder), ("folder", #""a\u009b""#, .badFolder),
        ("folder", "\"\(String(repeating: "ä", count: 501))\"", .badFolder),
        ("uid", nil, .badUID), ("uid", "-1", .badUID), ("uid", "4294967296", .badUID),
        ("uid", "1.5", .badUID), ("uid", #""1""#, .badUID), ("uid", "1e3", .badUID),
        ("uid", String(repeating: "9", count: 300), .badUID),
        ("uid_hint", "0", .badUID), ("uid_hint", "4294967296", .badUID), ("uid_hint", "null", .badUID),
        ("uid_validity", "0", .badUID), ("uid_validity", "-5", .badUID),
        ("msg_id", nil, .badMessageID), ("msg_id", "7", .badMessageID),
        ("at", nil, .badTime), ("at", "-1", .badTime), ("at", "9007199254740993", .badTime),
        ("at", "1e12", .badTime), ("at", #""1""#, .badTime),
        ("filed", "7", .badFiled), ("filed", #""""#, .badFiled), ("filed", #""../x""#, .badFiled),
        ("filed", "{}", .badFiled), ("x", String(repeating: "[", count: 16), .badJSON),
        ("x", "tru", .badJSON), ("x", #""\ud800""#, .badJSON),
    ]

    @Test("What breaks the contract is named", arguments: damaged)
    func damage(name: String, value: String?, expected: SpoolEntryDamage) {
        #expect(throws: expected) { try SpoolEntry.decode(Self.entry(name, value)) }
    }

    @Test(
        "A key of a later time is ignored, whatever its value",
        arguments: [#""thing""#, "null", "{}", "[1]", #"{"user":["mallory"]}"#])
    func unknownKey(value: String) throws {
        #expect(try SpoolEntry.decode(Self.entry("later", value)).user == Array("alice".utf8))
    }

    @Test(
        "A Message-ID outside its bounds reads as none",
        arguments: ["<a b@c>", "<ä@c>", String(repeating: "m", count: 251)])
    func messageID(text: String) throws {
        #expect(try SpoolEntry.decode(Self.entry("msg_id", "\"\(text)\"")).messageID.isEmpty)
    }

    @Test(
        "Marks that aren't known, and what isn't marks at all, count for nothing: the mail rings",
        arguments: [
            (#""bounce,list""#, [.bounce, .list]), (#""list,bounce,list""#, [.bounce, .list]),
            (#""later,bounce""#, .bounce), (#""bounces""#, []), (#""Bounce""#, []), (#"" bounce""#, []),
            (#""""#, []), (#"",,""#, []), ("7", []), ("null", []), (#"["bounce"]"#, []),
        ] as [(String, MailMarks)])
    func marks(value: String, marks: MailMarks) throws {
        #expect(try SpoolEntry.decode(Self.entry("marks", value)).marks == marks)
    }

    @Test(
        "A recipient outside its bounds reads as none",
        arguments: [
            (#""root@example.org""#, "root@example.org"), (#""ä@b""#, ""), (#""a b""#, ""), (#""a\"b""#, ""),
            ("\"\(String(repeating: "a", count: 255))\"", ""), ("7", ""), (#""""#, ""),
        ])
    func recipient(value: String, recipient: String) throws {
        #expect(try SpoolEntry.decode(Self.entry("recipient", value)).recipient == Array(recipient.utf8))
    }

    @Test("An entry cut short at any byte is recognised as such")
    func cutShort() {
        let whole = Self.entry("uid_hint", "5")
        for length in whole.indices {
            #expect(throws: SpoolEntryDamage.truncated) { try SpoolEntry.decode(Array(whole[..<length])) }
        }
    }

    @Test("An entry over 4,096 bytes is refused before it is parsed, one of 4,096 isn't")
    func size() throws {
        let padding = SpoolEntry.maximumSize - Self.entry("x", #""""#).count
        let fits = Self.entry("x", "\"\(String(repeating: "p", count: padding))\"")
        let over = Self.entry("x", "\"\(String(repeating: "p", count: padding + 1))\"")
        #expect(try SpoolEntry.decode(fits).uid == 0)
        #expect(throws: SpoolEntryDamage.oversized) { try SpoolEntry.decode(over) }
    }

    @Test("A key that occurs twice is refused, because readers disagree on which counts")
    func twice() {
        let text = #"{"v":1,"user":"a","user":"b","folder":"INBOX","uid":0,"msg_id":"","at":0}"# + "\n"
        #expect(throws: SpoolEntryDamage.badJSON) { try SpoolEntry.decode(Array(text.utf8)) }
    }

    @Test("Bytes that aren't UTF-8 are refused")
    func notUTF8() {
        var bytes = Self.entry("folder", #""INBOX~""#)
        bytes = bytes.map { $0 == UInt8(ascii: "~") ? 0xFF : $0 }
        #expect(throws: SpoolEntryDamage.badJSON) { try SpoolEntry.decode(bytes) }
    }

    @Test("Random damage to an entry never gives a value outside the bounds")
    func randomDamage() {
        var random = SystemRandomNumberGenerator()
        let whole = Self.entry("uid_hint", "5")
        for _ in 0..<5_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                    in: .min ... .max, using: &random)
            }
            guard let entry = try? SpoolEntry.decode(bytes) else { continue }
            #expect(SpoolEntry.isUser(entry.user) && SpoolEntry.isFolder(entry.folder))
            #expect((0...SpoolEntry.latestTime).contains(entry.at))
        }
    }
}
