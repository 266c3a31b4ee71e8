internal import Glibc
internal import Posix
internal import SQLite

/// The queue: one SQLite file between the drain, dispatch and the operator.
///
/// One public method is one transaction: when it returns, all of it is on the disk (write-ahead log with
/// `synchronous = FULL`); when it throws, nothing of it happened, except that after a failed flush the disk may
/// hold it. Used by one thread.
public final class QueueStore {
    /// Beyond this the write-ahead log is long: SQLite cuts it to this length once nobody needs more of it.
    public static let longestLog = 64 << 20

    let path: String
    let connection: Connection
    /// What opens device tokens; nil until `unlock`.
    var seal: TokenSeal?
    /// The last account in the turn of the fan-out.
    var lastServed = ""
    /// How many accounts the last fan-out passed over, because they have their ceiling of open deliveries.
    public internal(set) var accountsHeldUp = 0
    /// Whether of an account as many notices were in hand after the last look as may be, so that more of it may wait.
    public internal(set) var placesAreTaken = false
    /// Accounts that have more ended notices than when their surplus was last looked for, by the name's bytes: texts
    /// that are equal to Swift may be different accounts.
    var grown: Set<[UInt8]> = []
    /// Whether there was no queue before.
    public let isNew: Bool
    /// Which file the write-ahead log is, once there is one.
    private var log: FileIdentity?

    /// Opens the queue and brings an older one to this version.
    ///
    /// - Parameters:
    ///   - path: the database file; `-wal` and `-shm` stand beside it. A new file gets mode 0660 whatever the
    ///     umask, and its companions take over its mode, so that all programs of one group can open it.
    ///   - busyTimeout: how long a method waits for another process's write lock before it throws `busy`.
    ///   - creating: whether a queue is made where there is none; else `missing` is thrown and nothing changed. Where
    ///     the tokens' key is left of one, `vanished` is thrown either way.
    public init(path: String, busyTimeout: Duration, creating: Bool = true) throws(QueueError) {
        self.path = path
        try QueueSalvage.refuseHalfDone(path)
        try Self.refuseVanished(path)
        isNew = creating ? try Self.create(path) : false
        let refusal: QueueError.Cause?
        do throws(SQLiteError) {
            connection = try Connection(path: path, busyTimeout: busyTimeout, creating: false)
            refusal = try Self.prepare(connection, patience: busyTimeout, creating: creating)
        } catch {
            throw QueueError(path: path, error)
        }
        if let refusal { throw QueueError(path: path, cause: refusal) }
    }

    /// Throws where a queue has been: a new one would take the spool's entries, and drop them for want of devices.
    static func refuseVanished(_ path: String) throws(QueueError) {
        let directory = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
        guard access(path, F_OK) != 0, access(directory + "doorbell.key", F_OK) == 0,
            // Not one that somebody has made just now, with its key.
            access(path, F_OK) != 0
        else { return }
        throw QueueError(path: path, cause: .vanished)
    }

    /// Creates the file where it is missing; tells whether it was.
    ///
    /// An existing one isn't opened: closing any descriptor of it would drop SQLite's own locks.
    static func create(_ path: String) throws(QueueError) -> Bool {
        do throws(SystemCallError) {
            _ = try FileDescriptor.create(path, mode: 0o660)
            return true
        } catch {
            guard error.errno == .exists else { throw QueueError(path: path, error) }
            return false
        }
    }

    /// Settles how the file is written and brings it to this version; gives why it can't be used.
    private static func prepare(_ connection: Connection, patience: Duration, creating: Bool)
        throws(SQLiteError) -> QueueError.Cause?
    {
        let migration = Migration(applicationID: Schema.applicationID, steps: Schema.steps)
        if let refusal = try migration.refusal(of: connection) { return refusal }
        if try migration.version(of: connection) == 0 {
            guard creating else { return .missing }
            // Takes effect before the first table only; lets `prune` give space back.
            try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        }
        // What is removed or sealed is overwritten, whatever SQLite was compiled to do.
        try connection.execute("PRAGMA secure_delete = ON")
        guard try writeAhead(connection, patience) == "wal" else { return .noWriteAheadLog }
        // With NORMAL a power cut would take back commits after the drain has unlinked their entries. The limit is
        // `longestLog`.
        try connection.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864")
        try migration.run(on: connection)
        return nil
    }

    /// Switches to a write-ahead log, which the file remembers; gives the mode it has now.
    ///
    /// The switch reads before it writes, so that SQLite refuses it at once where two programs try it together
    /// on a new file, whatever the busy time-out.
    private static func writeAhead(_ connection: Connection, _ patience: Duration) throws(SQLiteError)
        -> String?
    {
        let deadline = BootClock.now + patience
        while true {
            do throws(SQLiteError) {
                return try connection.first("PRAGMA journal_mode = WAL") { $0.text(0) }
            } catch  where error.code.primary == .busy && BootClock.now < deadline {
                usleep(1000)
            }
        }
    }

    /// How long the write-ahead log is, in bytes.
    public var logBytes: Int {
        var status = stat()
        return stat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    /// Runs `body` as one write transaction.
    ///
    /// What went into a file that somebody has moved away or removed is no commit: nobody would read it again.
    func writing<Result>(_ body: () throws(SQLiteError) -> Result) throws(QueueError) -> Result {
        let result: Result
        do throws(SQLiteError) {
            result = try connection.writing(body)
        } catch {
            throw QueueError(path: path, error)
        }
        let log = FileIdentity(path: path + "-wal")
        guard !connection.hasMoved, let log, log == self.log ?? log else {
            throw QueueError(path: path, cause: .moved)
        }
        self.log = log
        return result
    }

    /// Runs `body` as one read transaction.
    func reading<Result>(_ body: () throws(SQLiteError) -> Result) throws(QueueError) -> Result {
        do throws(SQLiteError) {
            return try connection.reading(body)
        } catch {
            throw QueueError(path: path, error)
        }
    }
}
