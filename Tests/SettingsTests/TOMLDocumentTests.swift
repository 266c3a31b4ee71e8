import TOML
import Testing

struct TOMLDocumentTests {
    private func parse(_ text: String) throws(TOMLError) -> TOMLTable {
        try TOMLDocument.parse(Array(text.utf8))
    }

    private func value(_ line: Int, _ column: Int, _ content: TOMLValue.Content) -> TOMLValue {
        TOMLValue(position: TOMLPosition(line: line, column: column), content: content)
    }

    @Test("Every kind of value comes with the line and column of its key")
    func kinds() throws {
        let table = try parse(
            """
            text = "ü\\u0000"
              number = -3
            fraction = 0.5
            yes = true
            day = 2026-11-30
            [inner]
            list = [1, ["a"]]
            """)
        #expect(
            table == [
                "text": value(1, 1, .string("ü\0")),
                "number": value(2, 3, .integer(-3)),
                "fraction": value(3, 1, .float(0.5)),
                "yes": value(4, 1, .boolean(true)),
                "day": value(5, 1, .dateOrTime),
                "inner": value(
                    6, 2,
                    .table([
                        "list": value(
                            7, 1,
                            .array([
                                value(7, 9, .integer(1)),
                                value(7, 12, .array([value(7, 13, .string("a"))])),
                            ]))
                    ])),
            ])
    }

    @Test("An empty document is an empty table")
    func empty() throws {
        #expect(try parse("").isEmpty)
    }

    @Test(
        "What isn't TOML names line and column",
        arguments: [
            ("a = 1\nb = tru\n", 2, 8), ("a = 1\na = 2\n", 2, 5), ("[t]\n[t]\n", 2, 1),
            ("a = \"\u{1}\"", 1, 6), ("[=]\n", 1, 2),
        ])
    func faults(text: String, line: Int, column: Int) {
        #expect {
            try parse(text)
        } throws: {
            ($0 as? TOMLError)?.position == TOMLPosition(line: line, column: column)
        }
    }

    @Test("Nesting without end and bytes that aren't UTF-8 are faults, not crashes")
    func hostile() {
        #expect(throws: TOMLError.self) { try parse("a = " + String(repeating: "[", count: 100_000)) }
        #expect(throws: TOMLError.self) { try TOMLDocument.parse([0x61, 0x3D, 0x22, 0xFF, 0x22]) }
    }
}
