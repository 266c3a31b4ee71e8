import Foundation
import Posix
import SQLite
import TestSupport

/// What a queue's file says has become of everything.
struct QueueContents {
    private let connection: Connection
    private let directory: TemporaryDirectory?

    /// A delivery.
    struct Delivery {
        let id: String
        let end: String?
        let reason: String
    }

    /// Looks into a queue, for which its directory is kept.
    init(path: String, in directory: TemporaryDirectory? = nil) throws {
        self.directory = directory
        connection = try Connection(path: path, busyTimeout: .seconds(20), creating: false)
    }

    /// What SQLite finds wrong with the file: `ok`, or else what.
    func faults() throws -> [String] { try connection.query("PRAGMA integrity_check") { $0.text(0) } }

    /// Whether anything hasn't ended.
    func isOpen() throws -> Bool {
        try connection.first(
            """
            SELECT EXISTS (SELECT 1 FROM notices WHERE decided_at IS NULL)
                OR EXISTS (SELECT 1 FROM deliveries WHERE ended_at IS NULL)
            """
        ) { $0.integer(0) as Int64 } != 0
    }

    /// Every entry that became a notice.
    func notices() throws -> [PublishedEntry] {
        try connection.query("SELECT owner_uid, spool_name FROM notices") { row in
            PublishedEntry(owner: row.integer(0), name: String(decoding: row.blob(1), as: UTF8.self))
        }
    }

    /// Every delivery.
    func deliveries() throws -> [Delivery] {
        try connection.query("SELECT apns_id, end, reason FROM deliveries") { row in
            Delivery(id: row.text(0), end: row.optionalText(1), reason: row.optionalText(2) ?? "")
        }
    }

    /// How many ends have been counted: a second end of a delivery would count again.
    func countedEnds() throws -> Int64 {
        try connection.first("SELECT sum(count) FROM ends") { $0.integer(0) as Int64 } ?? 0
    }
}
