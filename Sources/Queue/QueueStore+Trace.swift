internal import Posix
internal import SQLite

extension QueueStore {
    /// What is known of the delivery with this `apns-id`, in letters of either case; nil: nothing.
    ///
    /// Looks through all deliveries: an index would be in random order, and each fan-out would pay for it with a page
    /// to write for every delivery.
    public func trace(apnsID: String) throws(QueueError) -> Trace? {
        let apnsID = apnsID.lowercased()
        return try reading { () throws(SQLiteError) in
            let ids = try connection.first(
                "SELECT id, notice, device FROM deliveries WHERE apns_id = ?1 ORDER BY id DESC LIMIT 1",
                [.text(apnsID)]
            ) { row in
                (
                    delivery: row.integer(0) as Int64, notice: row.integer(1) as Int64,
                    device: row.integer(2) as Int64
                )
            }
            guard let ids, let notice = try notice(ids.notice), let device = try device(ids.device)?.device
            else { return nil }
            return try connection.first(
                """
                SELECT delivery.attempts, delivery.next_attempt_at, delivery.expiration, delivery.ended_at,
                    delivery.end, delivery.reason, delivery.superseded_by, successor.apns_id,
                    notices.inserted_at, notices.decided_at
                FROM deliveries AS delivery JOIN notices ON notices.id = delivery.notice
                    LEFT JOIN deliveries AS successor ON successor.id = delivery.superseded_by
                WHERE delivery.id = ?1
                """, [.integer(ids.delivery)]
            ) { row in
                let successor = row.optionalInteger(6).map {
                    Trace.Successor(delivery: $0, apnsID: row.optionalText(7))
                }
                return Trace(
                    delivery: ids.delivery, apnsID: apnsID, attempts: row.count(0),
                    nextAttemptAt: row.time(1), expiration: row.time(2), endedAt: row.optionalTime(3),
                    end: row.optionalText(4), reason: row.optionalText(5), supersededBy: successor,
                    notice: notice, insertedAt: row.time(8), decidedAt: row.optionalTime(9), device: device)
            }
        }
    }
}
