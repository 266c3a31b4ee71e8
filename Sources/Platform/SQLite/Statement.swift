internal import CSQLite

/// One prepared statement of a connection, finalized when its owner lets it go.
///
/// Whatever way a run ends, the statement is reset: one left standing would hold a read transaction open and
/// keep the write-ahead log from being emptied.
final class Statement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private let sql: String

    /// Compiles the statement; SQLite is told that it will be kept.
    init(_ sql: String, _ database: OpaquePointer) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else {
            throw SQLiteError(code: code, subject: sql, database: database)
        }
        self.handle = handle
        self.database = database
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds the values to ?1, ?2 … and calls `visit` on each row until it gives false.
    func run(_ values: [Value], visit: (borrowing Row) -> Bool) throws(SQLiteError) {
        defer {
            // The result repeats the failure that `step` has reported already.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in values.enumerated() {
            let code = bind(value, Int32(clamping: index + 1))
            guard code == SQLITE_OK else { throw failure(code) }
        }
        while true {
            let code = sqlite3_step(handle)
            switch code {
            case SQLITE_ROW:
                guard visit(Row(handle)) else { return }
            case SQLITE_DONE:
                return
            default:
                throw failure(code)
            }
        }
    }

    private func bind(_ value: Value, _ place: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, place)
        case .integer(let number): return sqlite3_bind_int64(handle, place, number)
        case .text(var text):
            return text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) {
                    csqlite_bind_text(handle, place, $0.baseAddress, UInt64($0.count))
                }
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes {
                csqlite_bind_blob(handle, place, $0.baseAddress, UInt64($0.count))
            }
        }
    }

    private func failure(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, subject: sql, database: database)
    }
}
