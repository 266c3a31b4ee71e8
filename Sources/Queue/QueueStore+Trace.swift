internal import Posix
internal import SQLite

extension QueueStore {
    /// What is known of the delivery with this `apns-id`, in letters of either case; nil: nothing.
    ///
    /// Looks through all deliveries: an index would be in random order, and each fan-out would pay for it with a page
    /// to write for every delivery.
    public func trace(apnsID: String) throws(QueueError) -> Trace? {
        try reading { () throws(SQLiteError) in
            let id = try connection.first(
                "SELECT id FROM deliveries WHERE apns_id = ?1 ORDER BY id DESC LIMIT 1",
                [.text(apnsID.lowercased())]
            ) { $0.integer(0) as Int64 }
            guard let id, var trace = try trace(delivery: id) else { return nil }
            trace.supersededBy = try successor(of: id)
            return trace
        }
    }

    /// The newest wakes of a user, newest first, each with what became of its deliveries, but not what superseded
    /// them: after a flood each way there is as long as the flood.
    public func wakes(of user: String, limit: Int) throws(QueueError) -> [TracedWake] {
        try reading { () throws(SQLiteError) in
            let ids = try connection.query(
                "SELECT id FROM notices WHERE user = ?1 ORDER BY id DESC LIMIT ?2",
                [.text(user), Value(limit)]
            ) { $0.integer(0) as Int64 }
            var wakes: [TracedWake] = []
            for id in ids {
                if let wake = try wake(id) { wakes.append(wake) }
            }
            return wakes
        }
    }

    private func wake(_ id: Int64) throws(SQLiteError) -> TracedWake? {
        guard let notice = try notice(id) else { return nil }
        let row = try connection.first(
            "SELECT uid_source, end, reason FROM notices WHERE id = ?1", [.integer(id)]
        ) { row in (0..<3).map { row.optionalText($0) } }
        guard let row else { return nil }
        let deliveries = try connection.query(
            "SELECT id FROM deliveries WHERE notice = ?1 ORDER BY device", [.integer(id)]
        ) { $0.integer(0) as Int64 }
        var traces: [Trace] = []
        for delivery in deliveries {
            if let trace = try trace(delivery: delivery) { traces.append(trace) }
        }
        return TracedWake(
            notice: notice, uidSource: row[0], end: row[1], reason: row[2], deliveries: traces)
    }

    private func trace(delivery id: Int64) throws(SQLiteError) -> Trace? {
        let ids = try connection.first("SELECT notice, device FROM deliveries WHERE id = ?1", [.integer(id)])
        {
            (notice: $0.integer(0) as Int64, device: $0.integer(1) as Int64)
        }
        guard let ids, let notice = try notice(ids.notice), let device = try device(ids.device)?.device
        else { return nil }
        return try connection.first(
            """
            SELECT apns_id, attempts, next_attempt_at, expiration, ended_at, deliveries.end, deliveries.reason,
                inserted_at, decided_at, uid_source
            FROM deliveries JOIN notices ON notices.id = notice WHERE deliveries.id = ?1
            """, [.integer(id)]
        ) { row in
            Trace(
                delivery: id, apnsID: row.text(0), attempts: row.count(1), nextAttemptAt: row.time(2),
                expiration: row.time(3), endedAt: row.optionalTime(4), end: row.optionalText(5),
                reason: row.optionalText(6), notice: notice, uidSource: row.optionalText(9),
                insertedAt: row.time(7), decidedAt: row.optionalTime(8), device: device)
        }
    }

    /// The last of those that gave way to one another, each being newer than the one before.
    private func successor(of id: Int64) throws(SQLiteError) -> Trace.Successor? {
        try connection.first(
            """
            WITH RECURSIVE chain (id) AS (
                SELECT superseded_by FROM deliveries WHERE id = ?1 AND superseded_by > ?1
                UNION ALL
                SELECT superseded_by FROM deliveries JOIN chain USING (id) WHERE superseded_by > chain.id)
            SELECT chain.id, apns_id FROM chain LEFT JOIN deliveries USING (id) ORDER BY chain.id DESC LIMIT 1
            """, [.integer(id)]
        ) { Trace.Successor(delivery: $0.integer(0), apnsID: $0.optionalText(1)) }
    }
}
