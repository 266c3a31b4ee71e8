internal import SQLite

/// Finds the newest delivery for a device and folder that waits or was sent, each pair once.
///
/// A backlog of one device asks for the same pair over and over.
struct NewestDeliveries {
    private struct Pair: Hashable {
        let device: Int64
        let folder: String
    }

    private var known: [Pair: Int64] = [:]

    static let sql: StaticString = """
        SELECT id FROM deliveries WHERE device = ?1 AND folder = ?2 AND (ended_at IS NULL OR end = 'sent')
        ORDER BY id DESC LIMIT 1
        """

    /// The id of a delivery newer than this one, if there is one.
    mutating func newer(than delivery: DueDelivery, _ connection: Connection) throws(SQLiteError) -> Int64? {
        guard let device = delivery.device else { return nil }
        let pair = Pair(device: device.id, folder: delivery.notice.folder)
        if known[pair] == nil {
            known[pair] = try connection.first(Self.sql, [.integer(pair.device), .text(pair.folder)]) {
                $0.integer(0)
            }
        }
        return known[pair].flatMap { $0 > delivery.id ? $0 : nil }
    }
}
