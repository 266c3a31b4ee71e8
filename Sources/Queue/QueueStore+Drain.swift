public import Posix
internal import SQLite

extension QueueStore {
    /// Inserts what the drain found; tells for each notice whether it was new.
    ///
    /// A notice whose owner and spool name are known already is left as it is: after a crash between commit and
    /// unlink the same entry is found again. When this returns, the spool files may be unlinked.
    public func insert(_ notices: [NewNotice], now: WallTime) throws(QueueError) -> [Bool] {
        try writing { () throws(SQLiteError) in
            var isNew: [Bool] = []
            for notice in notices { isNew.append(try insert(notice, now)) }
            return isNew
        }
    }

    private func insert(_ notice: NewNotice, _ now: WallTime) throws(SQLiteError) -> Bool {
        try connection.run(
            """
            INSERT INTO notices (kind, owner_uid, spool_name, user, folder, uid, uid_validity, uid_hint, filed,
                message_id, at, inserted_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            ON CONFLICT (owner_uid, spool_name) DO NOTHING
            """,
            [
                .text(NoticeKind.mail.rawValue), Value(notice.ownerUID), .blob(notice.spoolName),
                .text(notice.user), .text(notice.folder), Value(notice.uid), Value(notice.uidValidity),
                Value(notice.uidHint), Value(notice.filed), .text(notice.messageID), Value(notice.at),
                Value(now),
            ]) > 0
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
