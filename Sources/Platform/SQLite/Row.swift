internal import CSQLite

/// The row a query stands on, read column by column while the query's closure runs.
///
/// No reading fails: SQLite converts, and a column that holds NULL reads as 0 or empty unless it is asked for
/// as an optional (https://sqlite.org/c3ref/column_blob.html).
public struct Row: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    /// A whole number; one beyond `Number` gives the nearest that fits.
    public func integer<Number: FixedWidthInteger>(_ column: Int32) -> Number {
        Number(clamping: sqlite3_column_int64(statement, column))
    }

    /// A whole number, or nil for NULL.
    public func optionalInteger<Number: FixedWidthInteger>(_ column: Int32) -> Number? {
        isNull(column) ? nil : integer(column)
    }

    /// A text; bytes that aren't UTF-8 read as U+FFFD.
    public func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

    /// A text, or nil for NULL.
    public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// The bytes of a blob or a text.
    public func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, column))
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// The bytes of a blob or a text, or nil for NULL.
    public func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }

    /// All columns from this one on as they are; a fraction, which no table here holds, reads as NULL.
    func values(from first: Int32) -> [Value] {
        (first..<max(first, sqlite3_column_count(statement))).map { column in
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: .integer(integer(column))
            case SQLITE_TEXT: .text(text(column))
            case SQLITE_BLOB: .blob(blob(column))
            default: .null
            }
        }
    }

    private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}
