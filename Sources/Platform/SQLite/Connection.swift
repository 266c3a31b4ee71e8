internal import CSQLite

/// One connection to a database file, used by one thread.
///
/// SQL is `StaticString`, so that nothing from outside can become part of it; values are bound. Statements are
/// compiled once and kept. Result codes are extended. Legacy permissions are off: strings in double quotes,
/// functions of a foreign schema (https://sqlite.org/security.html).
public final class Connection {
    private let handle: OpaquePointer
    /// By the address of the SQL's text: the same literal is compiled once.
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]
    /// Those that name a table, by their text.
    private var tableStatements: [String: Statement] = [:]

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - busyTimeout: how long a call waits for another connection's lock before it throws `busy`.
    ///   - creating: whether a file is made where there is none.
    ///   - keepingLog: whether the write-ahead log is left as it is when the last connection closes.
    public init(path: String, busyTimeout: Duration, creating: Bool = true, keepingLog: Bool = false)
        throws(SQLiteError)
    {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
            | (creating ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        // A handle comes even with most failures; it tells the reason and must be closed.
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close(opened) }
            throw SQLiteError(code: code, subject: path, database: opened)
        }
        handle = opened
        sqlite3_busy_timeout(handle, Int32(min(max(0, busyTimeout / .milliseconds(1)), 1e9)))
        for option in [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_TRUSTED_SCHEMA] {
            _ = csqlite_configure(handle, option, 0)
        }
        _ = csqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1)
        if keepingLog { _ = csqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }
        try execute("PRAGMA cell_size_check = ON")
    }

    deinit {
        statements.removeAll()
        tableStatements.removeAll()
        sqlite3_close(handle)
    }

    /// Runs one statement to its end, ignoring rows; gives how many rows it inserted, changed or deleted.
    @discardableResult
    public func run(_ sql: StaticString, _ values: [Value] = []) throws(SQLiteError) -> Int {
        let before = sqlite3_total_changes64(handle)
        try prepared(sql).run(values) { _ in true }
        return Int(sqlite3_total_changes64(handle) - before)
    }

    /// Runs one query and gives what `read` makes of each row; rows for which it gives nil are left out.
    ///
    /// - Parameter limit: how many to give; no row beyond them is looked at.
    public func query<Element>(
        _ sql: StaticString, _ values: [Value] = [], limit: Int = .max, read: (borrowing Row) -> Element?
    ) throws(SQLiteError) -> [Element] {
        guard limit > 0 else { return [] }
        var found: [Element] = []
        try prepared(sql).run(values) { row in
            if let element = read(row) { found.append(element) }
            return found.count < limit
        }
        return found
    }

    /// Runs one query and gives what `read` makes of its first row; nil without a row.
    public func first<Element>(
        _ sql: StaticString, _ values: [Value] = [], read: (borrowing Row) -> Element
    ) throws(SQLiteError) -> Element? {
        var found: Element?
        try prepared(sql).run(values) { row in
            found = read(row)
            return false
        }
        return found
    }

    /// Runs a script of several statements without values, such as a schema.
    public func execute(_ script: StaticString) throws(SQLiteError) {
        let text = "\(script)"
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, subject: text, database: handle) }
    }

    /// How SQLite would find what a query asks for, step by step, so that a test can pin it to an index.
    ///
    /// See https://sqlite.org/eqp.html.
    public func plan(of sql: StaticString) throws(SQLiteError) -> [String] {
        var steps: [String] = []
        try Statement("EXPLAIN QUERY PLAN \(sql)", handle).run([]) { row in
            steps.append(row.text(3))
            return true
        }
        return steps
    }

    /// Whether another file, or none, stands at the path by now.
    ///
    /// See https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html, SQLITE_FCNTL_HAS_MOVED.
    public var hasMoved: Bool {
        var hasMoved: CInt = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code != SQLITE_OK || hasMoved != 0
    }

    /// Runs `body` as one write transaction: all of it is committed, or nothing when anything throws.
    ///
    /// It begins by taking the write lock. A transaction that begins by reading and writes later fails at once
    /// when somebody wrote in between, whatever the busy time-out (https://sqlite.org/rescode.html#busy_snapshot).
    public func writing<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs `body` as one read transaction: all its queries see the same state.
    public func reading<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try transaction("BEGIN", body)
    }

    private func transaction<Result>(
        _ begin: StaticString, _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try run(begin)
        do throws(SQLiteError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some failures have rolled back already (https://sqlite.org/lang_transaction.html); then there is
            // nothing left to do, and the first error is the one that tells the cause.
            if sqlite3_get_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
            throw error
        }
    }

    private func prepared(_ sql: StaticString) throws(SQLiteError) -> Statement {
        if let known = statements[sql.utf8Start] { return known }
        let statement = try Statement("\(sql)", handle)
        statements[sql.utf8Start] = statement
        return statement
    }

    /// A statement with each `%` replaced by a table's name, which is quoted and so can't be anything else.
    func prepared(_ sql: String, naming table: String) throws(SQLiteError) -> Statement {
        let name = table.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        let text = sql.split(separator: "%", omittingEmptySubsequences: false).joined(
            separator: "\"\(name)\"")
        if let known = tableStatements[text] { return known }
        let statement = try Statement(text, handle)
        tableStatements[text] = statement
        return statement
    }
}
