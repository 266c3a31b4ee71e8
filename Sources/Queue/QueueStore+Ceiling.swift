internal import SQLite

/// What one account may have in the queue, so that nobody fills the disk or takes all of dispatch's time.
extension QueueStore {
    /// The most of an account that wait for their fan-out, that are open, and that are kept once they have ended.
    ///
    /// Above the first its entries stay in the spool, above the second its notices stay as they are, above the third
    /// its oldest are pruned early. Nothing is lost: the totals of ends are kept.
    public static let accountCeiling = 10_000

    static let nextUserSQL: StaticString = """
        SELECT user FROM notices WHERE decided_at IS NULL AND user > ?1 AND user <= ?2 ORDER BY user LIMIT 1
        """

    static let openSQL: StaticString = """
        SELECT count(*) FROM (
            SELECT 1 FROM accounts
            CROSS JOIN devices ON account = accounts.id AND removed_at IS NULL
            CROSS JOIN deliveries ON device = devices.id AND ended_at IS NULL
            WHERE user = ?1 LIMIT ?2)
        """

    static let mayRingSQL: StaticString = """
        SELECT 1 FROM accounts JOIN devices ON account = accounts.id AND removed_at IS NULL
        WHERE user = ?1 AND notify_push <> 0 LIMIT 1
        """

    /// The notices to fan out next, and whether they may ring: of each account the oldest, then the second oldest of
    /// each, and so on.
    ///
    /// An account that has its ceiling of open deliveries gets no more of them for now. Such accounts, and those of
    /// which all is in hand, hide no other, however many they are.
    func nextNotices(limit: Int, perAccount: Int, excluding inHand: Set<Int64>, ceiling: Int)
        throws(SQLiteError) -> [(id: Int64, mayRing: Bool)]
    {
        var queues: [(ids: [Int64], mayRing: Bool)] = []
        var heldUp = 0
        placesAreTaken = false
        // Once around, beginning behind the account that was served last. No text is behind a blob.
        for (start, end) in [(lastServed, Value.blob([])), ("", .text(lastServed))] {
            var user = start
            while queues.count < limit,
                let next = try connection.first(Self.nextUserSQL, [.text(user), end], read: { $0.text(0) })
            {
                user = next
                lastServed = next
                let open = try connection.first(Self.openSQL, [.text(user), Value(ceiling)]) {
                    $0.integer(0) as Int
                }
                guard open ?? 0 < ceiling else {
                    heldUp += 1
                    continue
                }
                // What is in hand was among its oldest, and still is.
                let oldest = try connection.query(
                    "SELECT id FROM notices WHERE user = ?1 AND decided_at IS NULL ORDER BY id LIMIT ?2",
                    [.text(user), Value(min(limit, perAccount))]
                ) { $0.integer(0) as Int64 }
                placesAreTaken = placesAreTaken || oldest.count == perAccount
                let ids = oldest.filter { !inHand.contains($0) }
                guard !ids.isEmpty else { continue }
                queues.append(
                    (ids, try connection.first(Self.mayRingSQL, [.text(user)]) { _ in true } ?? false))
            }
        }
        // Unless it came round it may have missed some.
        accountsHeldUp = queues.count < limit ? heldUp : max(heldUp, accountsHeldUp)
        let turns = (0..<limit).lazy.flatMap { turn in
            queues.lazy.compactMap { turn < $0.ids.count ? (id: $0.ids[turn], mayRing: $0.mayRing) : nil }
        }
        return turns.prefix(limit).sorted { $0.id < $1.id }
    }

    static let surplusSQL: StaticString = """
        SELECT id FROM notices
        WHERE user = ?1 AND decided_at IS NOT NULL AND (decided_at, id) <= (
            SELECT decided_at, id FROM notices WHERE user = ?1 AND decided_at IS NOT NULL
            ORDER BY decided_at DESC, id DESC LIMIT 1 OFFSET ?2)
        AND NOT EXISTS (SELECT 1 FROM deliveries WHERE notice = notices.id AND ended_at IS NULL)
        ORDER BY decided_at, id LIMIT ?3
        """

    /// Forgets the oldest that have ended of accounts with more than their ceiling of them.
    ///
    /// Looks at accounts of which this process has fanned out or ended a notice since they were looked at last.
    ///
    /// - Returns: how many notices; when `limit`, there may be more.
    public func pruneSurplus(limit: Int, ceiling: Int = accountCeiling) throws(QueueError) -> Int {
        try writing { () throws(SQLiteError) in try forgetSurplus(limit: limit, ceiling: ceiling) }
    }

    /// The same, within a transaction.
    func forgetSurplus(limit: Int, ceiling: Int) throws(SQLiteError) -> Int {
        var pruned = 0
        while pruned < limit, let user = grown.first {
            let values: [Value] = [
                .text(String(decoding: user, as: UTF8.self)), Value(ceiling), Value(limit - pruned),
            ]
            let ids = try connection.query(Self.surplusSQL, values) { $0.integer(0) as Int64 }
            try forget(ids)
            pruned += ids.count
            if pruned < limit { grown.remove(user) }
        }
        return pruned
    }
}
