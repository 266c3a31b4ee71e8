internal import Glibc
internal import Posix
internal import SQLite

/// Makes a new queue out of what can be read of a damaged one, which is moved aside and never deleted.
///
/// The new one is made beside the old, which is untouched until all is copied and on the disk. Killed before that, a
/// salvage leaves the old queue. From the moment at which the new one has its name with `.salvage` behind it, no
/// program opens the queue, until a salvage, this one or another, has put it in its place.
public enum QueueSalvage {
    /// What a finished copy has behind the queue's name until it stands in its place.
    static let suffix = ".salvage"
    /// What an unfinished one has.
    private static let draft = ".salvage-draft"
    private static let companions = ["-wal", "-shm", ""]

    /// What came of it.
    public struct Report: Equatable, Sendable {
        /// The tables in the order in which they were copied; empty where an earlier salvage had done that.
        public var tables: [SalvagedTable]
        /// Where the damaged queue is now.
        public var aside: String
    }

    /// Throws where a salvage has ended between its copy and its end.
    static func refuseHalfDone(_ path: String) throws(QueueError) {
        if access(path + suffix, F_OK) == 0 { throw QueueError(path: path, cause: .halfSalvaged) }
    }

    /// Salvages the queue; nil, and nothing is changed, when it is sound.
    ///
    /// - Parameter path: the database file. The caller holds the locks of both daemons.
    /// - Throws: what isn't damage, as `QueueCheck` tells it; then the old queue stands where it was.
    public static func run(path: String) throws(QueueError) -> Report? {
        guard access(path + suffix, F_OK) != 0 else {
            return Report(tables: [], aside: try replace(path))
        }
        guard try !QueueCheck.findings(path: path, busyTimeout: .seconds(5)).isEmpty else { return nil }
        try discardDraft(of: path)
        defer { try? discardDraft(of: path) }
        let source = try open(path)
        let tables = try copy(source, path)
        let aside = try replace(path)
        // Until here it is locked: whoever has waited to write to it finds that it has moved.
        return withExtendedLifetime(source) { Report(tables: tables, aside: aside) }
    }

    private static func open(_ path: String) throws(QueueError) -> SalvageSource {
        do throws(SQLiteError) {
            return try SalvageSource(path: path)
        } catch {
            throw QueueError(path: path, error)
        }
    }

    /// Makes the new queue, flushed and whole, under its name with the suffix.
    private static func copy(_ source: SalvageSource, _ path: String) throws(QueueError)
        -> [SalvagedTable]
    {
        let draft = path + draft
        _ = try QueueStore.create(draft)
        let tables: [SalvagedTable]
        do throws(SQLiteError) {
            let new = try Connection(path: draft, busyTimeout: .zero, creating: false)
            // Flushed once, when it is whole.
            try new.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = OFF")
            try Migration(applicationID: Schema.applicationID, steps: source.steps).run(on: new)
            tables = try new.writing { () throws(SQLiteError) in try source.copyAll(into: new) }
        } catch {
            throw QueueError(path: path, error)
        }
        // Takes the steps that are left, and a write-ahead log, which its end empties and removes.
        _ = try QueueStore(path: draft, busyTimeout: .zero, creating: false)
        guard access(draft + "-wal", F_OK) != 0 else { throw QueueError(path: path, cause: .full) }
        try system(path) { () throws(SystemCallError) in
            try FileDescriptor.open(draft, O_RDWR).synchronize()
            try rename(draft, path + suffix)
        }
        return tables
    }

    /// Puts the finished copy in the queue's place, or does what is left of that; gives the damaged queue's new name.
    ///
    /// The old files get their new names before they lose the old ones, the log first: no name is ever without the
    /// others that belong to it.
    private static func replace(_ path: String) throws(QueueError) -> String {
        var aside = ""
        try system(path) { () throws(SystemCallError) in
            aside = try "\(path).damaged-\(stamp(of: path + suffix))"
            for companion in companions {
                try unlessMissing { () throws(SystemCallError) in
                    try keep(path + companion, as: aside + companion)
                }
            }
            try synchronizeDirectory(of: path)
            // A log must not meet the new queue, to which it would be applied.
            for companion in companions {
                try unlessMissing { () throws(SystemCallError) in
                    _ = try systemCall("unlink", path + companion) { unlink(path + companion) }
                }
            }
            try synchronizeDirectory(of: path)
            try rename(path + suffix, path)
        }
        return aside
    }

    /// When a file was written, so that another salvage that ends this one gives the same names.
    private static func stamp(of path: String) throws(SystemCallError) -> String {
        var status = stat()
        _ = try systemCall("stat", path) { stat(path, &status) }
        return WallTime(lastWriteOf: status).text.filter { $0 != "-" && $0 != ":" }
    }

    /// Gives a file a second name, if a salvage that was killed hasn't.
    private static func keep(_ path: String, as name: String) throws(SystemCallError) {
        do throws(SystemCallError) {
            _ = try systemCall("link", "\(path) to \(name)") { link(path, name) }
        } catch  where error.errno == .exists && FileIdentity(path: path) == FileIdentity(path: name) {}
    }

    private static func discardDraft(of path: String) throws(QueueError) {
        try system(path) { () throws(SystemCallError) in
            for companion in companions + ["-journal"] {
                try unlessMissing { () throws(SystemCallError) in
                    _ = try systemCall("unlink", path + draft + companion) {
                        unlink(path + draft + companion)
                    }
                }
            }
        }
    }

    private static func rename(_ old: String, _ new: String) throws(SystemCallError) {
        _ = try systemCall("rename", "\(old) to \(new)") { Glibc.rename(old, new) }
        try synchronizeDirectory(of: new)
    }

    private static func synchronizeDirectory(of path: String) throws(SystemCallError) {
        let directory = String(path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex))
        try FileDescriptor.open(directory, O_RDONLY | O_DIRECTORY).synchronize()
    }

    private static func unlessMissing(_ body: () throws(SystemCallError) -> Void) throws(SystemCallError) {
        do throws(SystemCallError) { try body() } catch  where error.errno == .notFound {}
    }

    private static func system(_ path: String, _ body: () throws(SystemCallError) -> Void) throws(QueueError)
    {
        do throws(SystemCallError) { try body() } catch { throw QueueError(path: path, error) }
    }
}
