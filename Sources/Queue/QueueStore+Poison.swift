public import Posix
internal import SQLite

extension QueueStore {
    /// Why a delivery fails that dispatch dies of whenever it has it in hand.
    public static let poison = "poison"

    /// The deaths that must find a delivery in hand before it is poison.
    ///
    /// The first can be anybody's doing, and found others beside it. From then on one of those doubted is in hand at a
    /// time (see `due`), and three further deaths with the same one are no chance.
    static let deadlyDeaths: Int64 = 4

    /// Notes that dispatch begins, and settles what is poison.
    ///
    /// - Returns: nil where it had ended as it should, or never begun.
    public func beginDispatch(now: WallTime) throws(QueueError) -> UncleanEnd? {
        try writing { () throws(SQLiteError) in
            try readOrMakeSecret()
            let hasDied = try connection.first("SELECT dispatching FROM installation") { $0.integer(0) == 1 }
            guard hasDied == true else {
                try connection.run("UPDATE installation SET dispatching = 1")
                return nil
            }
            try connection.run("UPDATE watched SET in_hand = 0, deaths = deaths + 1 WHERE in_hand = 1")
            // What was put back isn't doubted, and what others have ended isn't any more.
            try connection.run(
                """
                DELETE FROM watched WHERE deaths = 0
                OR NOT EXISTS (SELECT 1 FROM deliveries WHERE id = delivery AND ended_at IS NULL)
                """)
            var end = UncleanEnd()
            let watched = try connection.query(
                "SELECT delivery, deaths, apns_id FROM watched JOIN deliveries ON id = delivery ORDER BY id"
            ) { (id: $0.integer(0) as Int64, deaths: $0.integer(1) as Int64, apnsID: $0.text(2)) }
            for delivery in watched {
                if delivery.deaths < Self.deadlyDeaths {
                    end.doubted.insert(delivery.id)
                } else {
                    try self.end(delivery.id, .failed, Self.poison, now)
                    end.poisoned.append(delivery.apnsID)
                }
            }
            return end
        }
    }

    /// Notes that dispatch ends as it should: nothing is doubted any more.
    public func endDispatch() throws(QueueError) {
        try writing { () throws(SQLiteError) in
            try connection.run("UPDATE installation SET dispatching = 0")
            try connection.run("DELETE FROM watched")
        }
    }

    /// Notes that deliveries that were given out aren't in hand after all.
    public func putBack(_ deliveries: [Int64]) throws(QueueError) {
        try writing { () throws(SQLiteError) in
            for id in deliveries {
                try connection.run("UPDATE watched SET in_hand = 0 WHERE delivery = ?1", [.integer(id)])
            }
        }
    }

    /// Notes that deliveries are in hand from now on.
    func takeInHand(_ deliveries: [Int64]) throws(SQLiteError) {
        for id in deliveries {
            try connection.run(
                """
                INSERT INTO watched (delivery, in_hand, deaths) VALUES (?1, 1, 0)
                ON CONFLICT (delivery) DO UPDATE SET in_hand = 1
                """, [.integer(id)])
        }
    }

    /// What came out of hand alive is no longer doubted.
    func acquit(_ delivery: Int64) throws(SQLiteError) {
        try connection.run("DELETE FROM watched WHERE delivery = ?1", [.integer(delivery)])
    }
}
