internal import SQLite

/// Brings a database file to the newest version, and refuses one that isn't ours.
struct Migration {
    let applicationID: Int64
    /// Scripts in order; see `Schema`.
    let steps: [StaticString]

    /// Tells whether the file can't be used, without changing it.
    func refusal(of connection: Connection) throws(SQLiteError) -> QueueError.Cause? {
        let tables = try number("SELECT count(*) FROM sqlite_schema", connection)
        let mark = try number("PRAGMA application_id", connection)
        guard mark == applicationID || (tables == 0 && mark == 0) else { return .foreign }
        let version = try version(of: connection)
        let known = Int64(steps.count)
        return version > known ? .newerVersion(found: version, known: known) : nil
    }

    /// Runs the steps the file still lacks, each in a transaction of its own.
    ///
    /// The version is read again under the write lock: another program may have started at the same moment.
    func run(on connection: Connection) throws(SQLiteError) {
        for (version, step) in steps.enumerated() {
            guard try self.version(of: connection) <= version else { continue }
            try connection.writing { () throws(SQLiteError) in
                if try self.version(of: connection) == version { try connection.execute(step) }
            }
        }
    }

    /// How many steps the file has behind it.
    func version(of connection: Connection) throws(SQLiteError) -> Int64 {
        try number("PRAGMA user_version", connection)
    }

    private func number(_ sql: StaticString, _ connection: Connection) throws(SQLiteError) -> Int64 {
        try connection.first(sql) { $0.integer(0) } ?? 0
    }
}
