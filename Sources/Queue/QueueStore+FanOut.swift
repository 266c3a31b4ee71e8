public import Posix
internal import SQLite

extension QueueStore {
    /// Folders per account whose first UIDVALIDITY is kept: any local user can name new ones without end.
    static let maximumFolders: Int64 = 10_000

    /// The notices to fan out next, in the order of their ids.
    ///
    /// Accounts take turns, so that one's thousands hold up nobody else.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - perAccount: how many of one account may be in hand, those given before included.
    ///   - inHand: what was given before and is not fanned out yet.
    ///   - ceiling: the most open deliveries that an account gets more of.
    public func waiting(
        limit: Int, perAccount: Int, excluding inHand: Set<Int64> = [], ceiling: Int = accountCeiling
    ) throws(QueueError) -> [WaitingNotice] {
        try reading { () throws(SQLiteError) in
            var waiting: [WaitingNotice] = []
            for (id, mayRing) in try nextNotices(
                limit: limit, perAccount: perAccount, excluding: inHand, ceiling: ceiling)
            {
                guard let notice = try notice(id) else { continue }
                waiting.append(WaitingNotice(notice: notice, mayRing: mayRing))
            }
            return waiting
        }
    }

    /// Makes deliveries out of notices, or ends them, as `deciding` says.
    ///
    /// All of it is committed before it returns, so that every attempt of a delivery, before and after a crash,
    /// carries the same identifiers and names the same mail.
    ///
    /// - Parameters:
    ///   - located: the notices; those that don't wait any more are passed over.
    ///   - now: the present.
    ///   - inHand: deliveries that dispatch has taken, which are replaced by nothing.
    ///   - deciding: called once for each notice, with its place in it, in the order given.
    /// - Returns: what was decided, in that order.
    public func fanOut(
        _ located: [LocatedNotice], now: WallTime, excluding inHand: Set<Int64> = [],
        deciding: (Notice, Recipients) -> FanOutDecision
    ) throws(QueueError) -> [FanOutDecision] {
        try writing { () throws(SQLiteError) in
            var decisions: [FanOutDecision] = []
            for located in located where try isWaiting(located.notice.id) {
                let notice = try put(located)
                let decision = deciding(notice, try recipients(of: notice))
                try carryOut(decision, notice, excluding: inHand, now)
                grown.insert(Array(notice.user.utf8))
                decisions.append(decision)
            }
            return decisions
        }
    }

    /// The mails that the latest of so many notices name, the oldest first: what has been given out.
    public func namedLately(limit: Int) throws(QueueError) -> [(user: String, place: LocatedNotice.Place)] {
        try reading { () throws(SQLiteError) in
            try connection.query(
                """
                SELECT user, folder, uid, uid_validity FROM notices
                WHERE id > (SELECT max(id) FROM notices) - ?1 AND decided_at IS NOT NULL AND uid > 0 ORDER BY id
                """, [.integer(Int64(limit))]
            ) { row in
                (
                    user: row.text(0),
                    place: LocatedNotice.Place(
                        folder: row.text(1), uid: row.integer(2), uidValidity: row.optionalInteger(3))
                )
            }
        }
    }

    private func isWaiting(_ id: Int64) throws(SQLiteError) -> Bool {
        try connection.first("SELECT 1 FROM notices WHERE id = ?1 AND decided_at IS NULL", [.integer(id)]) {
            _ in true
        } ?? false
    }

    /// Writes down where a notice's mail is; gives the notice with that.
    private func put(_ located: LocatedNotice) throws(SQLiteError) -> Notice {
        var notice = located.notice
        if let place = located.place {
            notice.content.folder = place.folder
            notice.content.uid = place.uid
            notice.content.uidValidity = place.uidValidity
        }
        guard notice != located.notice || located.uidSource != nil else { return notice }
        try connection.run(
            "UPDATE notices SET folder = ?2, uid = ?3, uid_validity = ?4, uid_source = ?5 WHERE id = ?1",
            [
                .integer(notice.id), .text(notice.folder), Value(notice.uid), Value(notice.uidValidity),
                Value(located.uidSource),
            ])
        return notice
    }

    /// Whether another account has the same token too: its hash tells.
    static let otherAccountSQL: StaticString = """
        SELECT 1 FROM devices AS one JOIN devices AS other USING (channel, topic, token_hash)
        WHERE one.id = ?1 AND other.account <> one.account AND other.removed_at IS NULL
        """

    private func recipients(of notice: Notice) throws(SQLiteError) -> Recipients {
        let account = try connection.first(
            "SELECT id, notify_push FROM accounts WHERE user = ?1", [.text(notice.user)]
        ) { (id: $0.integer(0) as Int64, pushEnabled: $0.integer(1) != 0) }
        guard let account else {
            return Recipients(account: nil, pushEnabled: true, devices: [], firstUIDValidity: nil)
        }
        let ids = try connection.query(
            "SELECT id FROM devices WHERE account = ?1 AND removed_at IS NULL ORDER BY id",
            [.integer(account.id)]
        ) { $0.integer(0) as Int64 }
        var recipients: [Recipient] = []
        for device in try devices(of: ids) {
            let others = try connection.first(Self.otherAccountSQL, [.integer(device.id)]) { _ in true }
            recipients.append(Recipient(device: device, tokenServesOneAccount: others == nil))
        }
        var first = try connection.first(
            "SELECT uid_validity FROM folders WHERE account = ?1 AND folder = ?2",
            [.integer(account.id), .text(notice.folder)]
        ) { $0.integer(0) as UInt32 }
        // Of a folder that there is no room for nobody could tell later that it was made anew: 0 is no folder's.
        if first == nil, try !remember(notice, account.id) { first = 0 }
        return Recipients(
            account: account.id, pushEnabled: account.pushEnabled, devices: recipients,
            firstUIDValidity: first)
    }

    /// Notes a folder's UIDVALIDITY; false where there is no room for it.
    private func remember(_ notice: Notice, _ account: Int64) throws(SQLiteError) -> Bool {
        guard let uidValidity = notice.uidValidity else { return true }
        let noted = try connection.run(
            """
            INSERT INTO folders (account, folder, uid_validity) SELECT ?1, ?2, ?3
            WHERE (SELECT count(*) FROM folders WHERE account = ?1) < ?4
            """, [.integer(account), .text(notice.folder), Value(uidValidity), Value(Self.maximumFolders)])
        return noted > 0
    }

    private func carryOut(
        _ decision: FanOutDecision, _ notice: Notice, excluding inHand: Set<Int64>, _ now: WallTime
    ) throws(SQLiteError) {
        switch decision {
        case .drop(let reason): try drop(notice.id, reason, now)
        case .deliver([]): try drop(notice.id, .noDevice, now)
        case .deliver(let deliveries):
            for delivery in deliveries {
                let due = max(now, delivery.notBefore?.roundedUpToSecond ?? now).roundedDownToSecond
                let replaced =
                    delivery.replacesWaiting
                    ? try waiting(delivery.device, notice.folder, due).flatMap { outside(inHand, $0) } : nil
                let id = try insert(delivery, notice, due)
                guard let replaced else { continue }
                try end(replaced, .dropped, DropReason.superseded.rawValue, supersededBy: id, now)
            }
            try connection.run(
                "UPDATE notices SET decided_at = ?2 WHERE id = ?1", [.integer(notice.id), Value(now)])
        }
    }

    static let newestSQL: StaticString = """
        SELECT id, ended_at IS NULL AND attempts = 0 AND next_attempt_at >= ?3 FROM deliveries
        WHERE device = ?1 AND folder = ?2 ORDER BY id DESC LIMIT 1
        """

    /// The newest delivery for a device and folder, if it waits for its first try and isn't due before a time.
    ///
    /// One that is due before goes out by itself: were it replaced too, a flood would put it off without end. An
    /// older one that waits has been passed by already: it isn't looked for.
    private func waiting(_ device: Int64, _ folder: String, _ due: WallTime) throws(SQLiteError) -> Int64? {
        try connection.first(Self.newestSQL, [.integer(device), .text(folder), Value(due)]) { row in
            row.integer(1) != 0 ? row.integer(0) as Int64 : nil
        } ?? nil
    }

    private func insert(_ delivery: NewDelivery, _ notice: Notice, _ due: WallTime) throws(SQLiteError)
        -> Int64?
    {
        try connection.first(
            """
            INSERT INTO deliveries
                (notice, device, apns_id, collapse_id, expiration, next_attempt_at, folder, lane)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,
                (SELECT lanes.id FROM devices JOIN lanes USING (environment, topic) WHERE devices.id = ?2))
            RETURNING id
            """,
            [
                .integer(notice.id), .integer(delivery.device), .text(delivery.apnsID),
                Value(delivery.collapseID), Value(delivery.expiration.roundedDownToSecond), Value(due),
                .text(notice.folder),
            ]
        ) { $0.integer(0) }
    }

    /// Ends a notice that never became a delivery.
    func drop(_ notice: Int64, _ reason: DropReason, _ now: WallTime) throws(SQLiteError) {
        try connection.run(
            "UPDATE notices SET decided_at = ?2, end = 'dropped', reason = ?3 WHERE id = ?1",
            [.integer(notice), Value(now), .text(reason.rawValue)])
        try count(.dropped, reason.rawValue, 1)
    }
}
