public import Posix
internal import SQLite

extension QueueStore {
    /// What stands in the queue now, and how wakes ended since it was made.
    public func counts(now: WallTime) throws(QueueError) -> QueueCounts {
        try reading { () throws(SQLiteError) in
            let waiting = try connection.first(
                "SELECT count(*), min(id) FROM notices WHERE decided_at IS NULL"
            ) { (count: $0.integer(0) as Int, oldest: $0.optionalInteger(1) as Int64?) }
            let open = try connection.first(
                """
                SELECT count(*), count(*) FILTER (WHERE next_attempt_at <= ?1), min(id)
                FROM deliveries WHERE ended_at IS NULL
                """, [Value(now)]
            ) {
                (
                    count: $0.integer(0) as Int, due: $0.integer(1) as Int,
                    oldest: $0.optionalInteger(2) as Int64?
                )
            }
            let devices =
                try connection.first(
                    """
                    SELECT count(*), count(disabled_at), count(suspect_since) FILTER (WHERE disabled_at IS NULL),
                        count(*) FILTER (WHERE throttled_until > ?1)
                    FROM devices WHERE removed_at IS NULL
                    """, [Value(now)]
                ) { row in (0..<4).map { row.integer($0) as Int } } ?? [0, 0, 0, 0]
            let ends = try connection.query("SELECT end, reason, count FROM ends ORDER BY end, reason") {
                QueueCounts.Ends(end: $0.text(0), reason: $0.text(1), count: $0.integer(2))
            }
            // Ids grow with time, so the oldest of each kind is the one with the lowest id.
            let oldest = try connection.first(
                """
                SELECT min(at) FROM notices
                WHERE id = ?1 OR id = (SELECT notice FROM deliveries WHERE id = ?2)
                """, [Value(waiting?.oldest), Value(open?.oldest)]
            ) { $0.optionalTime(0) }
            return QueueCounts(
                waiting: waiting?.count ?? 0, queued: open?.due ?? 0,
                deferred: (open?.count ?? 0) - (open?.due ?? 0), oldest: oldest.flatMap { $0 }, ends: ends,
                liveDevices: devices[0] - devices[1] - devices[2], suspectDevices: devices[2],
                disabledDevices: devices[1], throttledDevices: devices[3])
        }
    }

    /// A number that changes when another connection has committed anything.
    ///
    /// See https://sqlite.org/pragma.html#pragma_data_version.
    public func dataVersion() throws(QueueError) -> Int64 {
        try reading { () throws(SQLiteError) in
            try connection.first("PRAGMA data_version") { $0.integer(0) } ?? 0
        }
    }

    /// 32 random bytes of this installation, made once.
    public func secret() throws(QueueError) -> [UInt8] {
        // Without a lock that somebody may hold.
        if let known = try reading({ () throws(SQLiteError) in try readSecret() }) { return known }
        return try writing { () throws(SQLiteError) in try readOrMakeSecret() }
    }

    /// The secret, within a transaction; its row is there afterwards.
    @discardableResult
    func readOrMakeSecret() throws(SQLiteError) -> [UInt8] {
        if let known = try readSecret() { return known }
        var random = SystemRandomNumberGenerator()
        let new = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        try connection.run("INSERT INTO installation (id, secret) VALUES (1, ?1)", [.blob(new)])
        return new
    }

    private func readSecret() throws(SQLiteError) -> [UInt8]? {
        try connection.first("SELECT secret FROM installation") { $0.blob(0) }
    }

    /// Adds to the totals of ends.
    func count(_ end: End, _ reason: String, _ number: Int) throws(SQLiteError) {
        guard number > 0 else { return }
        try connection.run(
            """
            INSERT INTO ends (end, reason, count) VALUES (?1, ?2, ?3)
            ON CONFLICT (end, reason) DO UPDATE SET count = count + excluded.count
            """, [.text(end.rawValue), .text(bounded(reason)), Value(number)])
    }
}

/// A reason cut to what is kept of it, since it may be a foreign text: whole characters, at most 100 bytes.
func bounded(_ reason: String) -> String {
    var kept = ""
    for character in reason {
        guard kept.utf8.count + character.utf8.count <= 100 else { break }
        kept.append(character)
    }
    return kept
}
