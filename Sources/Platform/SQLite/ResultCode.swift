/// A result code of SQLite: names for those this project acts on, and room for the rest.
///
/// An extended code carries its primary code in the lowest byte (https://sqlite.org/rescode.html).
public struct ResultCode: RawRepresentable, Equatable, Hashable, Sendable {
    /// The number, extended where SQLite gave an extended one.
    public let rawValue: Int32

    /// Wraps a number as SQLite gave it.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The code without its extension.
    public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    /// SQLITE_OK.
    public static let ok = ResultCode(rawValue: 0)
    /// SQLITE_PERM.
    public static let permission = ResultCode(rawValue: 3)
    /// SQLITE_BUSY: another connection holds the lock.
    public static let busy = ResultCode(rawValue: 5)
    /// SQLITE_LOCKED: another statement of this process is in the way.
    public static let locked = ResultCode(rawValue: 6)
    /// SQLITE_READONLY.
    public static let readOnly = ResultCode(rawValue: 8)
    /// SQLITE_IOERR: reading, writing or flushing failed.
    public static let inputOutput = ResultCode(rawValue: 10)
    /// SQLITE_CORRUPT.
    public static let corrupt = ResultCode(rawValue: 11)
    /// SQLITE_FULL: the disk, or what the file may grow to.
    public static let full = ResultCode(rawValue: 13)
    /// SQLITE_CANTOPEN.
    public static let cannotOpen = ResultCode(rawValue: 14)
    /// SQLITE_PROTOCOL: the locks of the write-ahead log misbehaved.
    public static let lockingProtocol = ResultCode(rawValue: 15)
    /// SQLITE_TOOBIG: a text or blob is larger than any may be.
    public static let tooBig = ResultCode(rawValue: 18)
    /// SQLITE_CONSTRAINT.
    public static let constraint = ResultCode(rawValue: 19)
    /// SQLITE_MISMATCH: a rowid that isn't a number.
    public static let mismatch = ResultCode(rawValue: 20)
    /// SQLITE_NOTADB: the file isn't a database.
    public static let notADatabase = ResultCode(rawValue: 26)
    /// SQLITE_ROW.
    static let row = ResultCode(rawValue: 100)
    /// SQLITE_DONE.
    static let done = ResultCode(rawValue: 101)

    /// SQLITE_BUSY_SNAPSHOT: a transaction that began by reading can't write any more.
    public static let busySnapshot = ResultCode(rawValue: 5 | 2 << 8)
    /// SQLITE_IOERR_FSYNC: what was written before may be lost.
    public static let flush = ResultCode(rawValue: 10 | 4 << 8)
    /// SQLITE_CONSTRAINT_UNIQUE.
    public static let constraintUnique = ResultCode(rawValue: 19 | 8 << 8)
    /// SQLITE_CONSTRAINT_FOREIGNKEY.
    public static let constraintForeignKey = ResultCode(rawValue: 19 | 3 << 8)
}
