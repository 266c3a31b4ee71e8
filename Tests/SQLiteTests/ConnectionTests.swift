import SQLite
import TestSupport
import Testing

@Suite("A connection to SQLite")
struct ConnectionTests {
    private let directory: TemporaryDirectory
    private let connection: Connection

    init() throws {
        directory = try TemporaryDirectory()
        connection = try Connection(path: directory.file("a.db"), busyTimeout: .zero)
        try connection.execute(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (a UNIQUE, b INTEGER REFERENCES t (a))")
    }

    private func another() throws -> Connection {
        try Connection(path: directory.file("a.db"), busyTimeout: .zero)
    }

    private func rows(_ connection: Connection) throws -> [String] {
        try connection.query("SELECT a FROM t ORDER BY a") { $0.text(0) }
    }

    @Test("What is bound comes back as it was")
    func values() throws {
        let row = try connection.first(
            "SELECT ?1, ?2, ?3, ?4, ?5, typeof(?4), typeof(?5)",
            [.null, .integer(.min), .text("it's\u{0}\u{1F514}"), .blob([]), .text("")]
        ) { row in
            (row.optionalText(0), row.integer(1) as Int64, row.text(2), row.blob(3), row.text(5), row.text(6))
        }
        #expect(try #require(row) == (nil, .min, "it's\u{0}\u{1F514}", [], "blob", "text"))
    }

    @Test("A number that doesn't fit reads as the nearest that does")
    func clamping() throws {
        let small = try connection.first("SELECT -1, 5000000000") { row in
            [row.integer(0) as UInt32, row.integer(1)]
        }
        #expect(small == [0, .max])
    }

    @Test(
        "A query looks at no more rows than it takes to give what it was asked for",
        arguments: [(2, 3), (0, 0)])
    func limit(limit: Int, looked: Int) throws {
        try connection.execute("INSERT INTO t (a) VALUES (1), (2), (3), (4), (5)")
        var seen: [Int] = []
        let found: [Int] = try connection.query("SELECT a FROM t ORDER BY a", limit: limit) {
            seen.append($0.integer(0))
            return seen.last == 1 ? nil : seen.last
        }
        #expect((found.count, seen.count) == (limit, looked))
    }

    @Test("A text that isn't UTF-8 reads without a trap")
    func notUTF8() throws {
        #expect(try connection.first("SELECT CAST(x'ff41' AS TEXT)") { $0.text(0) } == "\u{FFFD}A")
    }

    @Test("A transaction that throws leaves nothing behind, and the next one works")
    func rollback() throws {
        #expect(throws: SQLiteError.self) {
            try connection.writing { () throws(SQLiteError) in
                try connection.run("INSERT INTO t (a) VALUES ('first')")
                try connection.run("INSERT INTO t (a) VALUES ('first')")
            }
        }
        try connection.writing { () throws(SQLiteError) in
            _ = try connection.run("INSERT INTO t (a) VALUES ('second')")
        }
        #expect(try rows(another()) == ["second"])
    }

    @Test("An error names on one line the statement and the extended code, never a bound value")
    func errors() throws {
        try connection.run("INSERT INTO t (a) VALUES (?1)", [.text("alice@example.org")])
        let error = #expect(throws: SQLiteError.self) {
            try connection.run(
                """
                INSERT INTO t (a)
                    VALUES (?1)
                """, [.text("alice@example.org")])
        }
        #expect(error?.code == .constraintUnique)
        #expect(error?.description.contains("INSERT INTO t (a) VALUES (?1)") == true)
        #expect(error?.description.contains("alice") == false)
    }

    @Test("A string in double quotes is an error, not a text")
    func doubleQuotes() {
        #expect(throws: SQLiteError.self) { try connection.query("SELECT \"nothing\"") { $0.text(0) } }
    }

    @Test("A reference to a row that isn't there is refused")
    func foreignKeys() {
        let error = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES (1, 2)") }
        #expect(error?.code == .constraintForeignKey)
    }

    @Test("A write transaction waits for nobody when the time-out is zero")
    func busy() throws {
        let other = try another()
        let error = #expect(throws: SQLiteError.self) {
            try connection.writing { () throws(SQLiteError) in
                try other.writing { () throws(SQLiteError) in }
            }
        }
        #expect(error?.code.primary == .busy)
    }

    @Test(
        "A transaction that began by reading can't write once somebody else has: why writing begins at once")
    func snapshot() throws {
        let patient = try Connection(path: directory.file("a.db"), busyTimeout: .seconds(60))
        let error = #expect(throws: SQLiteError.self) {
            try patient.reading { () throws(SQLiteError) in
                _ = try patient.first("SELECT count(*) FROM t") { $0.integer(0) as Int64 }
                try connection.run("INSERT INTO t (a) VALUES (1)")
                try patient.run("INSERT INTO t (a) VALUES (2)")
            }
        }
        #expect(error?.code == .busySnapshot)
    }

    @Test("A query that was left after its first row holds no transaction open")
    func reset() throws {
        try connection.execute("INSERT INTO t (a) VALUES (1), (2), (3)")
        _ = try connection.first("SELECT a FROM t") { $0.integer(0) as Int64 }
        let other = try another()
        let blocked = try other.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) as Int64 }
        #expect(blocked == 0)
    }

    @Test("A path that can't be opened is an error that names it")
    func cannotOpen() throws {
        let path = directory.file("missing/a.db")
        let error = #expect(throws: SQLiteError.self) { try Connection(path: path, busyTimeout: .zero) }
        #expect(error?.code.primary == .cannotOpen)
        #expect(error?.subject == path)
    }
}
