public import Posix
internal import SQLite

extension QueueStore {
    /// Inserts what the drain found, as far as its accounts have room; tells for each notice what became of it.
    ///
    /// A notice whose owner and spool name are known already is left as it is: after a crash between commit and
    /// unlink the same entry is found again. When this returns, the spool files may be unlinked, but for those of
    /// accounts that had no room.
    ///
    /// Those that are to ring nobody end at once. They take no room, and the oldest that have ended go for them.
    ///
    /// - Parameter ceiling: the most notices of an account that wait for their fan-out, and the most that have ended.
    public func insert(_ notices: [NewNotice], now: WallTime, ceiling: Int = accountCeiling)
        throws(QueueError) -> [Insertion]
    {
        try writing { () throws(SQLiteError) in
            // By the name's bytes: texts that are equal to Swift may be different accounts.
            var rooms: [[UInt8]: Int] = [:]
            var insertions: [Insertion] = []
            for notice in notices {
                guard notice.quietBecause == nil else {
                    insertions.append(try insert(notice, now))
                    continue
                }
                let account = Array(notice.user.utf8)
                var room = rooms[account] ?? 0
                if rooms[account] == nil { room = ceiling - (try waiting(of: notice.user, upTo: ceiling)) }
                let insertion = try room > 0 ? insert(notice, now) : isKnown(notice) ? .known : .noRoom
                rooms[account] = insertion == .new ? room - 1 : room
                insertions.append(insertion)
            }
            _ = try forgetSurplus(limit: notices.count, ceiling: ceiling)
            return insertions
        }
    }

    /// Whether any of these accounts has so few notices waiting that going on is worth it: half of the ceiling.
    public func hasRoom(forAnyOf users: [String], ceiling: Int = accountCeiling) throws(QueueError) -> Bool {
        try reading { () throws(SQLiteError) in
            for user in users {
                if try waiting(of: user, upTo: ceiling / 2 + 1) <= ceiling / 2 { return true }
            }
            return false
        }
    }

    static let waitingSQL: StaticString =
        "SELECT count(*) FROM (SELECT 1 FROM notices WHERE user = ?1 AND decided_at IS NULL LIMIT ?2)"

    /// How many notices of an account wait for their fan-out; counts no further than `limit`.
    private func waiting(of user: String, upTo limit: Int) throws(SQLiteError) -> Int {
        try connection.first(Self.waitingSQL, [.text(user), Value(limit)]) { $0.integer(0) } ?? 0
    }

    private func isKnown(_ notice: NewNotice) throws(SQLiteError) -> Bool {
        try connection.first(
            "SELECT 1 FROM notices WHERE owner_uid = ?1 AND spool_name = ?2",
            [Value(notice.ownerUID), .blob(notice.spoolName)]
        ) { _ in true } ?? false
    }

    private func insert(_ notice: NewNotice, _ now: WallTime) throws(SQLiteError) -> Insertion {
        let quiet = notice.quietBecause?.rawValue
        let isNew =
            try connection.run(
                """
                INSERT INTO notices (kind, owner_uid, spool_name, user, folder, uid, uid_validity, uid_hint, filed,
                    message_id, at, inserted_at, decided_at, end, reason)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
                ON CONFLICT (owner_uid, spool_name) DO NOTHING
                """,
                [
                    .text(NoticeKind.mail.rawValue), Value(notice.ownerUID), .blob(notice.spoolName),
                    .text(notice.user), .text(notice.folder), Value(notice.uid), Value(notice.uidValidity),
                    Value(notice.uidHint), Value(notice.filed), .text(notice.messageID), Value(notice.at),
                    Value(now), Value(quiet.map { _ in now }), Value(quiet.map { _ in End.dropped.rawValue }),
                    Value(quiet),
                ]) > 0
        if isNew, let quiet {
            try count(.dropped, quiet, 1)
            grown.insert(Array(notice.user.utf8))
        }
        return isNew ? .new : .known
    }

    /// The notice with this id.
    func notice(_ id: Int64) throws(SQLiteError) -> Notice? {
        try connection.first(
            """
            SELECT kind, owner_uid, spool_name, user, folder, uid, uid_validity, uid_hint, filed, message_id, at
            FROM notices WHERE id = ?1
            """, [.integer(id)]
        ) { row in
            Notice(
                id: id, kind: NoticeKind(rawValue: row.text(0)),
                content: NewNotice(
                    ownerUID: row.integer(1), spoolName: row.blob(2), user: row.text(3), folder: row.text(4),
                    uid: row.integer(5), uidValidity: row.optionalInteger(6), uidHint: row.optionalInteger(7),
                    filed: row.optionalText(8), messageID: row.text(9), at: row.time(10)))
        }
    }
}
