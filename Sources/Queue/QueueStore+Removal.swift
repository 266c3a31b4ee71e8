public import Posix
internal import SQLite

extension QueueStore {
    /// Removes a device: what waits for it ends dropped; gives false where there is no live one of this id.
    public func removeDevice(_ id: Int64, now: WallTime) throws(QueueError) -> Bool {
        try writing { () throws(SQLiteError) in try bury(id, reason: "operator", now: now) != nil }
    }

    /// Removes all devices, as the operator wants it; gives how many.
    public func removeAllDevices(now: WallTime) throws(QueueError) -> Int {
        try writing { () throws(SQLiteError) in
            let live = try connection.query("SELECT id FROM devices WHERE removed_at IS NULL ORDER BY id") {
                $0.integer(0) as Int64
            }
            return try bury(live, reason: "operator", now: now).count
        }
    }

    /// Removes live devices that have neither registered nor been seen since a time.
    ///
    /// Only where another device of the same environment and topic was seen lately: else nothing may have arrived
    /// by that way at all.
    ///
    /// - Parameters:
    ///   - time: since when they are unseen.
    ///   - othersSince: since when another one was seen.
    ///   - now: the present.
    ///   - limit: how many at most.
    /// - Returns: which; when there are `limit`, there may be more.
    public func sweep(unseenSince time: WallTime, othersSince: WallTime, now: WallTime, limit: Int)
        throws(QueueError) -> [RemovedDevice]
    {
        try writing { () throws(SQLiteError) in
            let unseen = try connection.query(
                """
                SELECT id FROM devices
                WHERE removed_at IS NULL AND max(registered_at, ifnull(last_seen_at, registered_at)) < ?1
                    AND (environment, topic) IN (
                        SELECT environment, topic FROM devices WHERE last_seen_at BETWEEN ?3 AND ?4)
                ORDER BY id LIMIT ?2
                """, [Value(time), Value(limit), Value(othersSince), Value(now)]
            ) { $0.integer(0) as Int64 }
            return try bury(unseen, reason: "unseen", now: now)
        }
    }

    /// When devices were swept last; nil: never.
    public func sweptAt() throws(QueueError) -> WallTime? {
        try reading { () throws(SQLiteError) in
            try connection.first("SELECT swept_at FROM installation") { $0.optionalTime(0) } ?? nil
        }
    }

    /// Remembers when devices were swept.
    public func markSwept(at time: WallTime) throws(QueueError) {
        _ = try writing { () throws(SQLiteError) in
            try readOrMakeSecret()
            try connection.run("UPDATE installation SET swept_at = ?1", [Value(time)])
        }
    }

    static let suspectsSQL: StaticString = """
        SELECT id FROM devices
        WHERE suspect_under = ?1 AND suspect_since IS NOT NULL AND removed_at IS NULL
        """

    /// The devices doubted under a way.
    func suspects(under way: String) throws(SQLiteError) -> Set<Int64> {
        Set(try connection.query(Self.suspectsSQL, [.text(way)]) { $0.integer(0) as Int64 })
    }

    /// Removes those of some devices that are still doubted, but for who has a delivery in hand: its answer will tell.
    func burySuspects(_ suspects: Set<Int64>, excluding inHand: Set<Int64>, now: WallTime) throws(SQLiteError)
        -> [RemovedDevice]
    {
        var atFault: [Int64] = []
        for id in suspects.sorted() {
            let isDoubted = try connection.first(
                "SELECT 1 FROM devices WHERE id = ?1 AND suspect_since IS NOT NULL", [.integer(id)]
            ) { _ in true }
            let waiting = try connection.query(
                "SELECT id FROM deliveries WHERE device = ?1 AND ended_at IS NULL", [.integer(id)]
            ) { $0.integer(0) as Int64 }
            if isDoubted != nil, inHand.isDisjoint(with: waiting) { atFault.append(id) }
        }
        return try bury(atFault, reason: "BadDeviceToken", now: now)
    }

    private func bury(_ ids: [Int64], reason: String, now: WallTime) throws(SQLiteError) -> [RemovedDevice] {
        var removed: [RemovedDevice] = []
        for id in ids {
            if let device = try bury(id, reason: reason, now: now) { removed.append(device) }
        }
        return removed
    }

    /// Makes a live device a tombstone and ends what waits for it; gives nil where nothing was done.
    ///
    /// Of its token there remain four bytes, which tell a person which it was, and a hash, which tells only who has
    /// the whole token and the key.
    func bury(_ id: Int64, reason: String, unlessRegisteredSince time: WallTime? = nil, now: WallTime)
        throws(SQLiteError) -> RemovedDevice?
    {
        let buried = try connection.run(
            """
            UPDATE devices SET removed_at = ?3, removed_reason = ?4, token = substr(token, 1, ?5), sealed_token = NULL
            WHERE id = ?1 AND removed_at IS NULL AND (?2 IS NULL OR registered_at < ?2)
            """,
            [.integer(id), Value(time), Value(now), .text(bounded(reason)), Value(TokenSeal.visibleBytes)])
        guard buried > 0 else { return nil }
        let dropped = try connection.run(
            """
            UPDATE deliveries SET ended_at = ?2, end = 'dropped',
                reason = 'device_gone' || ifnull(' after ' || reason, '')
            WHERE device = ?1 AND ended_at IS NULL
            """, [.integer(id), Value(now)])
        try count(.dropped, DropReason.deviceGone.rawValue, dropped)
        return RemovedDevice(id: id, reason: bounded(reason))
    }
}
