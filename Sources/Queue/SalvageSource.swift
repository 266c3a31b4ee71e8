internal import SQLite

/// A damaged queue, of which everything is read that can be.
final class SalvageSource {
    /// How far a table's ids go on where nothing tells which was the last: none is ever used again.
    static let idReserve: Int64 = 1_000_000
    /// No id that was given away is higher; what tells of others is damaged, and would leave none to give away.
    static let lastSensibleID: Int64 = 1 << 53

    private let connection: Connection
    /// The steps of the schema that the file has behind it; all when it doesn't tell.
    let steps: [StaticString]

    /// Opens the file, holds up whoever would write to it, and leaves it as it is.
    init(path: String) throws(SQLiteError) {
        connection = try Connection(path: path, busyTimeout: .seconds(5), creating: false, keepingLog: true)
        // Lets SQLite read a file that is shorter than its first page says, or whose schema it can't parse whole.
        try connection.execute("PRAGMA writable_schema = ON")
        do throws(SQLiteError) {
            try connection.run("BEGIN IMMEDIATE")
        } catch  where error.code.primary != .busy {}
        let version = (try? connection.first("PRAGMA user_version") { $0.integer(0) as Int }) ?? 0
        steps = version > 0 ? Array(Schema.steps.prefix(version)) : Schema.steps
    }

    /// Copies all tables into a queue of the same steps, within a transaction of it.
    ///
    /// What a row belongs to is copied before it; a row without that can't be.
    func copyAll(into new: Connection) throws(SQLiteError) -> [SalvagedTable] {
        var tables: [SalvagedTable] = []
        for name in try new.tables() {
            var copy = TableCopy(from: connection, into: new, name)
            try copy.run()
            tables.append(copy.result)
        }
        try copySequence(into: new)
        return tables
    }

    /// Keeps ids from being used again.
    private func copySequence(into new: Connection) throws(SQLiteError) {
        let noted = try? connection.query("SELECT name, seq FROM sqlite_sequence") { row in
            (name: row.text(0), last: row.integer(1) as Int64)
        }
        let tables = try new.query("SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'") {
            $0.text(0)
        }
        for table in tables {
            let copied = try new.highestRowID(of: table) ?? 0
            var last = copied + Self.idReserve
            if let noted {
                let known = noted.first { $0.name == table }?.last ?? 0
                if known <= Self.lastSensibleID { last = max(known, copied) }
            }
            try new.run("DELETE FROM sqlite_sequence WHERE name = ?1", [.text(table)])
            try new.run(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", [.text(table), .integer(last)])
        }
    }
}
