/// Tables by their names, for who copies them as they are.
extension Connection {
    /// The names of the tables in the order in which they were made, SQLite's own left out.
    public func tables() throws(SQLiteError) -> [String] {
        try query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        ) { $0.text(0) }
    }

    /// Whether the rows of a table are kept by a number, its rowid (https://sqlite.org/withoutrowid.html).
    public func hasRowIDs(_ table: String) throws(SQLiteError) -> Bool {
        try first(
            "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?1", [.text(table)]
        ) { $0.integer(0) == 0 } ?? false
    }

    /// How many rows a table has, by whichever of its trees is the smallest.
    public func count(of table: String) throws(SQLiteError) -> Int {
        var count = 0
        try prepared("SELECT count(*) FROM %", naming: table).run([]) { row in
            count = row.integer(0)
            return false
        }
        return count
    }

    /// The highest rowid of a table; nil when it is empty.
    public func highestRowID(of table: String) throws(SQLiteError) -> Int64? {
        var highest: Int64?
        try prepared("SELECT max(rowid) FROM %", naming: table).run([]) { row in
            highest = row.optionalInteger(0)
            return false
        }
        return highest
    }

    /// Reads whole rows with rowids in a range, upwards or downwards, until `visit` gives false.
    public func forEachRow(
        of table: String, in range: ClosedRange<Int64>, descending: Bool,
        visit: (_ rowID: Int64, _ values: [Value]) -> Bool
    ) throws(SQLiteError) {
        let order = descending ? "DESC" : "ASC"
        try prepared(
            "SELECT rowid, * FROM % WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid \(order)", naming: table
        ).run([.integer(range.lowerBound), .integer(range.upperBound)]) { row in
            visit(row.integer(0), row.values(from: 1))
        }
    }

    /// Reads whole rows by the table's first two columns, upwards or downwards, until `visit` gives false.
    public func forEachRow(of table: String, descending: Bool, visit: (_ values: [Value]) -> Bool)
        throws(SQLiteError)
    {
        try prepared("SELECT * FROM % ORDER BY 1 \(descending ? "DESC, 2 DESC" : ", 2")", naming: table)
            .run([]) { visit($0.values(from: 0)) }
    }

    /// Inserts a whole row.
    public func insert(_ values: [Value], into table: String) throws(SQLiteError) {
        let places = (1...max(1, values.count)).map { "?\($0)" }.joined(separator: ", ")
        try prepared("INSERT INTO % VALUES (\(places))", naming: table).run(values) { _ in true }
    }
}
