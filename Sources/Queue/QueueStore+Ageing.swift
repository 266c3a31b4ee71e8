public import Posix
internal import SQLite

extension QueueStore {
    static let expiredSQL: StaticString =
        "SELECT id FROM deliveries WHERE ended_at IS NULL AND expiration <= ?1"

    /// Ends as expired what has outlived its expiration and isn't in hand.
    ///
    /// - Returns: how many; when `limit`, there may be more.
    public func expire(now: WallTime, limit: Int, excluding inHand: Set<Int64>) throws(QueueError) -> Int {
        try writing { () throws(SQLiteError) in
            let ids = try connection.query(Self.expiredSQL, [Value(now)], limit: limit) { row in
                outside(inHand, row.integer(0))
            }
            for id in ids { try end(id, .expired, "expired", now) }
            return ids.count
        }
    }

    /// Drops what still waits of mail that landed before a time, fanned out or not.
    ///
    /// For an installation that sends nothing: what waited too long must not ring when sending is switched on.
    /// - Parameters:
    ///   - time: mail that landed before it.
    ///   - reason: why.
    ///   - now: the present.
    ///   - limit: how many at most.
    /// - Returns: how many; when `limit`, there may be more.
    public func dropUnsent(olderThan time: WallTime, reason: DropReason, now: WallTime, limit: Int)
        throws(QueueError) -> Int
    {
        try writing { () throws(SQLiteError) in
            let notices = try connection.query(
                "SELECT id, user FROM notices WHERE decided_at IS NULL AND at < ?1 LIMIT ?2",
                [Value(time), Value(limit)]
            ) { (id: $0.integer(0) as Int64, user: $0.text(1)) }
            for notice in notices {
                try drop(notice.id, reason, now)
                grown.insert(Array(notice.user.utf8))
            }
            let deliveries = try connection.query(
                """
                SELECT deliveries.id FROM deliveries JOIN notices ON notices.id = notice
                WHERE ended_at IS NULL AND at < ?1 LIMIT ?2
                """, [Value(time), Value(limit - notices.count)]
            ) { $0.integer(0) as Int64 }
            for id in deliveries { try end(id, .dropped, reason.rawValue, now) }
            return notices.count + deliveries.count
        }
    }

    static let pullDeliveriesSQL: StaticString = """
        SELECT id FROM deliveries
        WHERE ended_at IS NULL AND lane IN (SELECT id FROM lanes) AND (attempts > 0) IN (0, 1)
            AND next_attempt_at > ?1
        """

    /// Makes due what waits until after `latest`, deliveries and devices: the wall clock was ahead when they were
    /// told to.
    ///
    /// What is in hand stays as it was taken, or its answer couldn't be noted.
    ///
    /// - Returns: how many deliveries; when `limit`, there may be more.
    public func pullForward(
        waitingBeyond latest: WallTime, now: WallTime, limit: Int, excluding inHand: Set<Int64>
    ) throws(QueueError) -> Int {
        try writing { () throws(SQLiteError) in
            let ids = try connection.query(Self.pullDeliveriesSQL, [Value(latest)], limit: limit) { row in
                outside(inHand, row.integer(0))
            }
            for id in ids {
                try connection.run(
                    "UPDATE deliveries SET next_attempt_at = ?2 WHERE id = ?1",
                    [.integer(id), Value(now.roundedDownToSecond)])
            }
            try connection.run(
                "UPDATE devices SET throttled_until = ?1 WHERE throttled_until > ?2",
                [Value(now), Value(latest)])
            return ids.count
        }
    }

    /// Ends a delivery that waits, without an attempt.
    func end(
        _ delivery: Int64, _ end: End, _ reason: String, supersededBy successor: Int64? = nil, _ now: WallTime
    ) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE deliveries SET ended_at = ?2, end = ?3, superseded_by = ?5,
                reason = ?4 || ifnull(' after ' || reason, '')
            WHERE id = ?1
            """,
            [.integer(delivery), Value(now), .text(end.rawValue), .text(reason), Value(successor)])
        try count(end, reason, 1)
    }

    static let endedSQL: StaticString = """
        SELECT id FROM notices
        WHERE decided_at < ?1 AND NOT EXISTS (
            SELECT 1 FROM deliveries WHERE notice = notices.id AND (ended_at IS NULL OR ended_at >= ?1))
        ORDER BY decided_at LIMIT ?2
        """

    /// Forgets notices that ended before a time, each with all its deliveries, and the tombstones left behind.
    ///
    /// Gives the space back. Until then a spool file that comes back, with a restored copy of the spool say, rings
    /// nobody twice.
    ///
    /// - Returns: how many notices; when `limit`, there may be more.
    public func prune(endedBefore time: WallTime, limit: Int) throws(QueueError) -> Int {
        try writing { () throws(SQLiteError) in
            let notices = try connection.query(Self.endedSQL, [Value(time), Value(limit)]) {
                $0.integer(0) as Int64
            }
            try forget(notices)
            try connection.run(
                """
                DELETE FROM devices WHERE removed_at < ?1
                AND NOT EXISTS (SELECT 1 FROM deliveries WHERE device = devices.id)
                """, [Value(time)])
            return notices.count
        }
    }

    /// Forgets notices that have ended, each with all its deliveries, and gives the space back.
    func forget(_ notices: [Int64]) throws(SQLiteError) {
        for id in notices {
            try connection.run("DELETE FROM deliveries WHERE notice = ?1", [.integer(id)])
            try connection.run("DELETE FROM notices WHERE id = ?1", [.integer(id)])
        }
        if !notices.isEmpty { try connection.execute("PRAGMA incremental_vacuum(1000)") }
    }
}
