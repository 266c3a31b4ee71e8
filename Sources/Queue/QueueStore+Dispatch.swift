public import Posix
internal import SQLite

extension QueueStore {
    /// The most attempts a row is believed to have had, so that nobody who counts on overflows.
    static let maximumAttempts = 1_000_000

    static let dueSQL: StaticString = """
        SELECT id FROM deliveries
        WHERE ended_at IS NULL AND next_attempt_at <= ?1
            AND lane = (SELECT id FROM lanes WHERE environment = ?2 AND topic = ?3)
        ORDER BY next_attempt_at, id
        """

    static let nextDueSQL: StaticString = """
        SELECT min((
            SELECT next_attempt_at FROM deliveries
            WHERE ended_at IS NULL AND lane = lanes.id AND next_attempt_at > ?1
            ORDER BY next_attempt_at LIMIT 1))
        FROM lanes
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

    /// The deliveries of one lane that are due, by due time and id, without those in hand.
    ///
    /// The device and its account are read as they are now.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - limit: how many at most.
    ///   - inHand: what dispatch has taken already.
    ///   - environment: that of the lane.
    ///   - topic: that of the lane.
    public func due(
        now: WallTime, limit: Int, excluding inHand: Set<Int64>, environment: String, topic: String
    ) throws(QueueError) -> [DueDelivery] {
        try reading { () throws(SQLiteError) in
            let values = [Value(now), .text(environment), .text(topic)]
            let ids = try connection.query(Self.dueSQL, values, limit: limit) { row in
                outside(inHand, row.integer(0))
            }
            var due: [DueDelivery] = []
            for id in ids {
                if let delivery = try delivery(id) { due.append(delivery) }
            }
            return due
        }
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
            SELECT attempts, next_attempt_at, apns_id, collapse_id, expiration, notice, device
            FROM deliveries WHERE id = ?1
            """, [.integer(id)]
        ) { row in
            (
                attempts: min(max(0, row.integer(0)), Self.maximumAttempts), nextAttemptAt: row.time(1),
                apnsID: row.text(2),
                collapseID: row.optionalText(3), expiration: row.time(4), notice: row.integer(5) as Int64,
                device: row.integer(6) as Int64
            )
        }
        guard let row, let notice = try notice(row.notice) else { return nil }
        let recipient = try device(row.device)
        let isLive = recipient?.device.removedAt == nil
        return DueDelivery(
            id: id, attempts: row.attempts, nextAttemptAt: row.nextAttemptAt, apnsID: row.apnsID,
            collapseID: row.collapseID, expiration: row.expiration, notice: notice,
            device: isLive ? recipient?.device : nil, pushEnabled: recipient?.pushEnabled ?? false)
    }
}

/// The id, unless it is in hand.
func outside(_ inHand: Set<Int64>, _ id: Int64) -> Int64? { inHand.contains(id) ? nil : id }
