public import Posix
internal import SQLite

extension QueueStore {
    static let dueSQL: StaticString = """
        SELECT deliveries.id FROM deliveries JOIN devices ON devices.id = device
        WHERE ended_at IS NULL AND next_attempt_at <= ?1 AND environment = ?2 AND topic = ?3
        ORDER BY next_attempt_at, deliveries.id LIMIT ?4 + ?5
        """

    /// The environments and topics by which live devices are reached.
    public func lanes() throws(QueueError) -> [(environment: String, topic: String)] {
        try reading { () throws(SQLiteError) in
            try connection.query(
                "SELECT DISTINCT environment, topic FROM devices WHERE removed_at IS NULL ORDER BY 1, 2"
            ) { (environment: $0.text(0), topic: $0.text(1)) }
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
            let values = [
                Value(now), .text(environment), .text(topic), Value(limit), Value(inHand.count),
            ]
            let ids = try connection.query(Self.dueSQL, values) { row in outside(inHand, row.integer(0)) }
            var due: [DueDelivery] = []
            for id in ids.prefix(limit) {
                if let delivery = try delivery(id) { due.append(delivery) }
            }
            return due
        }
    }

    /// When the next delivery comes due that isn't due at `time`; nil when none waits.
    public func nextDue(after time: WallTime = WallTime(milliseconds: .min)) throws(QueueError) -> WallTime? {
        try reading { () throws(SQLiteError) in
            try connection.first(
                """
                SELECT next_attempt_at FROM deliveries WHERE ended_at IS NULL AND next_attempt_at > ?1
                ORDER BY next_attempt_at LIMIT 1
                """, [Value(time)]
            ) { $0.time(0) }
        }
    }

    /// Carries out what answers mean; gives for each whether it was done.
    ///
    /// A delivery that is no longer as it was taken (ended, or due at another time) is left alone, and so is its
    /// device: somebody was faster.
    public func settle(_ settlements: [Settlement], now: WallTime) throws(QueueError) -> [Bool] {
        try writing { () throws(SQLiteError) in
            var done: [Bool] = []
            for settlement in settlements {
                let asTaken = try carryOut(settlement, now)
                if asTaken, let change = settlement.deviceChange {
                    try carryOut(change, ofDeviceOf: settlement.delivery, now)
                }
                done.append(asTaken)
            }
            return done
        }
    }

    private func carryOut(_ settlement: Settlement, _ now: WallTime) throws(SQLiteError) -> Bool {
        let guarded: [Value] = [
            .integer(settlement.delivery), Value(settlement.attempts), Value(settlement.nextAttemptAt),
        ]
        switch settlement.outcome {
        case .ended(let end, let reason):
            let attempt = end == .sent || end == .failed
            let ended = try connection.run(
                """
                UPDATE deliveries SET ended_at = ?4, end = ?5, reason = ?6, attempts = attempts + ?7
                WHERE id = ?1 AND ended_at IS NULL AND attempts = ?2 AND next_attempt_at = ?3
                """,
                guarded + [
                    Value(now), .text(end.rawValue), .text(bounded(reason)), .integer(attempt ? 1 : 0),
                ])
            try count(end, reason, ended)
            return ended > 0
        case .deferred(let until, let charged, let reason):
            return try connection.run(
                """
                UPDATE deliveries SET next_attempt_at = ?4, reason = ?5, attempts = attempts + ?6
                WHERE id = ?1 AND ended_at IS NULL AND attempts = ?2 AND next_attempt_at = ?3
                """,
                guarded + [Value(until.roundedUpToSecond), .text(bounded(reason)), .integer(charged ? 1 : 0)])
                > 0
        }
    }

    private func carryOut(_ change: DeviceChange, ofDeviceOf delivery: Int64, _ now: WallTime)
        throws(SQLiteError)
    {
        let device = try connection.first(
            "SELECT device FROM deliveries WHERE id = ?1", [.integer(delivery)]
        ) { $0.integer(0) as Int64 }
        guard let device else { return }
        switch change {
        case .seen:
            try connection.run(
                "UPDATE devices SET last_seen_at = ?2, last_failure = NULL, suspect_since = NULL WHERE id = ?1",
                [.integer(device), Value(now)])
        case .failed(let reason, let time):
            try connection.run(
                "UPDATE devices SET last_failure = ?2 WHERE id = ?1 AND registered_at < ?3",
                [.integer(device), .text(bounded(reason)), Value(time)])
        case .suspected(let reason, let time):
            try connection.run(
                """
                UPDATE devices SET last_failure = ?2, suspect_since = ifnull(suspect_since, ?4)
                WHERE id = ?1 AND registered_at < ?3
                """, [.integer(device), .text(bounded(reason)), Value(time), Value(now)])
        case .reaped(let reason, let time):
            _ = try bury(device, reason: reason, unlessRegisteredSince: time, now: now)
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
                attempts: row.integer(0) as Int, nextAttemptAt: row.time(1), apnsID: row.text(2),
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
