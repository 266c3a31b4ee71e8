import JSON
import Testing

@Suite("Writing JSON")
struct JSONTextTests {
    private func text(_ write: (inout JSONText) -> Void) -> String {
        var text = JSONText()
        write(&text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    @Test("Members and elements are separated by commas, nested ones too")
    func commas() {
        let written = text {
            $0.beginObject()
            $0.key("a")
            $0.beginArray()
            $0.integer(1)
            $0.beginObject()
            $0.endObject()
            $0.null()
            $0.endArray()
            $0.key("b")
            $0.boolean(false)
            $0.endObject()
        }
        #expect(written == #"{"a":[1,{},null],"b":false}"#)
    }

    @Test(
        "Numbers are written whole",
        arguments: [
            (0, "0"), (-1, "-1"), (1_790_000_000_000, "1790000000000"),
            (Int64.max, "9223372036854775807"), (Int64.min, "-9223372036854775808"),
        ])
    func numbers(value: Int64, expected: String) {
        #expect(text { $0.integer(value) } == expected)
    }

    @Test("Quotes, backslashes and control characters are escaped, the rest passes")
    func escapes() {
        #expect(text { $0.string("a\"b\\c\n\u{0}\u{7F}ä🔔".utf8) } == #""a\"b\\c\u000a\u0000\u007fä🔔""#)
    }

    @Test("Every string that is written parses back to itself")
    func roundTrip() throws {
        for scalar in (0..<0x3000).compactMap(Unicode.Scalar.init) {
            let string = "<\(Character(scalar))>"
            var text = JSONText()
            text.string(string.utf8)
            #expect(try JSONParser.parse(text.bytes) == .string(string))
        }
    }
}
