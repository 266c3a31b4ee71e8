internal import SQLite

/// Looks for damage without changing a byte of the queue.
public enum QueueCheck {
    /// The most that is told.
    private static let limit = 20

    /// What is damaged, a line each; empty when the queue is sound.
    ///
    /// Reads all of it, which takes seconds for a million wakes; daemons may run meanwhile. It can't see that a
    /// write-ahead log is cut short or gone: the newest commits are missing then, and nothing tells.
    ///
    /// - Parameter busyTimeout: how long it waits for a lock that keeps it from reading.
    /// - Throws: what isn't damage: there is no queue, it is another program's or of a later version, or it can't
    ///   be opened.
    public static func findings(path: String, busyTimeout: Duration) throws(QueueError) -> [String] {
        try QueueSalvage.refuseHalfDone(path)
        try QueueStore.refuseVanished(path)
        let refusal: QueueError.Cause?
        let findings: [String]
        do throws(SQLiteError) {
            let connection = try Connection(
                path: path, busyTimeout: busyTimeout, creating: false, keepingLog: true)
            let migration = Migration(applicationID: Schema.applicationID, steps: Schema.steps)
            refusal = try migration.refusal(of: connection)
            findings = refusal == nil ? try damage(in: connection) : []
        } catch {
            let failure = QueueError(path: path, error)
            guard failure.cause == .corrupt else { throw failure }
            return [error.message]
        }
        if let refusal { throw QueueError(path: path, cause: refusal) }
        return findings
    }

    private static func damage(in connection: Connection) throws(SQLiteError) -> [String] {
        let texts = try connection.query("PRAGMA integrity_check(20)") { $0.text(0) }
        let lines = texts.flatMap { $0.split(separator: "\n").map(String.init) }.filter { $0 != "ok" }
        guard lines.isEmpty else { return Array(lines.prefix(limit)) }
        return try connection.query("PRAGMA foreign_key_check", limit: limit) { row in
            let id: Int64 = row.integer(1)
            return "row \(id) of \(row.text(0)) belongs to a row of \(row.text(2)) that isn't there"
        }
    }
}
