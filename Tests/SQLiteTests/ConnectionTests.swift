import SQLite
import TestSupport
import Testing

@Suite("A connection to SQLite")
struct ConnectionTests {
    @Test("What is bound comes back as it was")
    func values() throws {
        let directory = try TemporaryDirectory()
        let connection = try Connection(path: directory.file("a.db"), busyTimeout: .zero)
        try connection.execute("CREATE TABLE t (a, b, c, d, e)")
        try connection.run(
            "INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5)",
            [.null, .integer(.min), .text("it's\u{0}\u{1F514}"), .blob([]), .text("")])
        let row = try connection.first("SELECT *, typeof(d), typeof(e) FROM t") { row in
            (row.optionalText(0), row.integer(1) as Int64, row.text(2), row.blob(3), row.text(5), row.text(6))
        }
        #expect(try #require(row) == (nil, .min, "it's\u{0}\u{1F514}", [], "blob", "text"))
    }
}
