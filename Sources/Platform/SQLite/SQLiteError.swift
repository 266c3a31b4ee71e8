internal import CSQLite

/// A call of SQLite that failed: which code, on what, and SQLite's own words.
///
/// Never holds a bound value: values are people's addresses and tokens.
public struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The extended result code.
    public let code: ResultCode
    /// The statement, or the path for a failure to open.
    public let subject: String
    /// SQLite's one-line text.
    public let message: String
    /// The errno behind a failure to open, read or write; 0 where there is none.
    public let systemErrno: Int32

    /// The code, the text and the statement in one line.
    public var description: String {
        let statement = subject.split { $0.isWhitespace }.joined(separator: " ")
        return "SQLite \(code.rawValue): \(message) (\(statement))"
    }

    /// Reads what SQLite noted about the last failed call on a connection.
    init(code: Int32, subject: String, database: OpaquePointer?) {
        self.code = ResultCode(rawValue: code)
        self.subject = subject
        let text = database.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        message = text.map { String(cString: $0) } ?? "unknown error"
        let noted = database.map { sqlite3_system_errno($0) } ?? 0
        systemErrno =
            noted == 0 && self.code.primary == .inputOutput
            ? database.map { csqlite_log_errno($0) } ?? 0 : noted
    }
}
