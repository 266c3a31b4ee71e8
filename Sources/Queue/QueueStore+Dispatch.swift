public import Posix
internal import SQLite

extension QueueStore {
    /// The most attempts, strikes and throttles that a row is believed to have had.
    static let maximumCount = 1_000_000

    /// `?4` is 1 for what was tried before, 0 for what wasn't.
    static let dueSQL: StaticString = """
        SELECT id, next_attempt_at FROM deliveries
        WHERE ended_at IS NULL AND next_attempt_at <= ?1 AND (attempts > 0) = ?4
            AND lane = (SELECT id FROM lanes WHERE environment = ?2 AND topic = ?3)
        ORDER BY next_attempt_at, id
        """

    static let nextDueSQL: StaticString = """
        SELECT min((
            SELECT next_attempt_at FROM deliveries
            WHERE ended_at IS NULL AND lane = lanes.id AND (attempts > 0) = tried AND next_attempt_at > ?1
            ORDER BY next_attempt_at LIMIT 1))
        FROM lanes CROSS JOIN (SELECT 0 AS tried UNION ALL SELECT 1)
        """

    static let lanesSQL: StaticString = """
        SELECT environment, topic FROM lanes
        WHERE EXISTS (SELECT 1 FROM deliveries WHERE ended_at IS NULL AND lane = lanes.id)
            OR EXISTS (
                SELECT 1 FROM devices WHERE removed_at IS NULL
                AND environment = lanes.environment AND topic = lanes.topic)
        ORDER BY environment, topic
        """

    /// The environments and topics by which live devices are reached and deliveries wait.
    public func lanes() throws(QueueError) -> [(environment: String, topic: String)] {
        try reading { () throws(SQLiteError) in
            try connection.query(Self.lanesSQL) { (environment: $0.text(0), topic: $0.text(1)) }
        }
    }

    /// The deliveries of one lane that are due, without those in hand, by due time and id.
    ///
    /// Where there isn't room for all, first tries and others share it (see `ClaimOrder`). The device and its account
    /// are read as they are now.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - limit: how many at most.
    ///   - inHand: what dispatch has taken already.
    ///   - environment: that of the lane.
    ///   - topic: that of the lane.
    ///   - staleBefore: for mail that landed before it a newer delivery is looked for.
    ///   - oddIsRetry: whether an odd place is for one that was tried before.
    ///   - doubted: what may be poison, of which one is given at most. Unless it is nil, what is given is first
    ///     noted to be in hand, before anything of it is read: should it be deadly, that is known afterwards.
    public func due(
        now: WallTime, limit: Int, excluding inHand: Set<Int64>, environment: String, topic: String,
        staleBefore: WallTime, oddIsRetry: Bool = false, noting doubted: Set<Int64>? = nil
    ) throws(QueueError) -> [DueDelivery] {
        func choose() throws(SQLiteError) -> [Int64] {
            var hasDoubted = false
            func candidates(tried: Int64) throws(SQLiteError) -> [ClaimOrder.Candidate] {
                let values: [Value] = [Value(now), .text(environment), .text(topic), .integer(tried)]
                return try connection.query(Self.dueSQL, values, limit: limit) { row in
                    guard let id = outside(inHand, row.integer(0)) else { return nil }
                    if doubted?.contains(id) == true {
                        if hasDoubted { return nil }
                        hasDoubted = true
                    }
                    return ClaimOrder.Candidate(id: id, due: row.time(1))
                }
            }
            return ClaimOrder.choose(
                fresh: try candidates(tried: 0), retries: try candidates(tried: 1), limit: limit,
                oddIsRetry: oddIsRetry)
        }
        guard doubted != nil else {
            return try reading { () throws(SQLiteError) in
                try deliveries(try choose(), staleBefore: staleBefore)
            }
        }
        let ids = try writing { () throws(SQLiteError) in
            let ids = try choose()
            try takeInHand(ids)
            return ids
        }
        return try reading { () throws(SQLiteError) in try deliveries(ids, staleBefore: staleBefore) }
    }

    private func deliveries(_ ids: [Int64], staleBefore: WallTime) throws(SQLiteError) -> [DueDelivery] {
        var newest = NewestDeliveries()
        var due: [DueDelivery] = []
        for id in ids {
            guard var delivery = try delivery(id) else { continue }
            if delivery.notice.at < staleBefore || delivery.device?.throttledUntil != nil {
                delivery.newer = try newest.newer(than: delivery, connection)
            }
            due.append(delivery)
        }
        return due
    }

    /// When the next delivery comes due that isn't due at `time`; nil when none waits.
    public func nextDue(after time: WallTime = WallTime(milliseconds: .min)) throws(QueueError) -> WallTime? {
        try reading { () throws(SQLiteError) in
            try connection.first(Self.nextDueSQL, [Value(time)]) { $0.optionalTime(0) } ?? nil
        }
    }

    private func delivery(_ id: Int64) throws(SQLiteError) -> DueDelivery? {
        let row = try connection.first(
            """
            SELECT attempts, next_attempt_at, apns_id, collapse_id, expiration, notice, device, reason
            FROM deliveries WHERE id = ?1
            """, [.integer(id)]
        ) { row in
            (
                attempts: row.count(0), nextAttemptAt: row.time(1),
                apnsID: row.text(2),
                collapseID: row.optionalText(3), expiration: row.time(4), notice: row.integer(5) as Int64,
                device: row.integer(6) as Int64, reason: row.optionalText(7)
            )
        }
        guard let row, let notice = try notice(row.notice) else { return nil }
        let recipient = try device(row.device)
        let isLive = recipient?.device.removedAt == nil
        return DueDelivery(
            id: id, attempts: row.attempts, nextAttemptAt: row.nextAttemptAt, apnsID: row.apnsID,
            collapseID: row.collapseID, expiration: row.expiration, notice: notice,
            device: isLive ? recipient?.device : nil, pushEnabled: recipient?.pushEnabled ?? false,
            lastReason: row.reason)
    }
}

/// The id, unless it is in hand.
func outside(_ inHand: Set<Int64>, _ id: Int64) -> Int64? { inHand.contains(id) ? nil : id }
