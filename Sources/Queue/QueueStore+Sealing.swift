internal import Glibc
internal import Posix
internal import SQLite

extension QueueStore {
    /// Whether a device's token is sealed, so that its key has to be there already.
    public func hasSealedTokens() throws(QueueError) -> Bool {
        try reading { () throws(SQLiteError) in try hasSealed() }
    }

    /// Takes the key that the tokens are sealed with; until then nobody is registered and no token read.
    ///
    /// The first key seals what an older version left plain, and then all trace of that is removed from the file and
    /// its write-ahead log. Another key takes its place only where no token is sealed any more.
    ///
    /// - Parameters:
    ///   - seal: made from the key.
    ///   - patience: how long other programs may keep traces from being removed.
    /// - Returns: whether no trace is left; where others kept it from that, or there was no room, the next program
    ///   that unlocks the queue tries again.
    /// - Throws: `wrongKey`, besides the usual.
    @discardableResult
    public func unlock(with seal: TokenSeal, patience: Duration = .seconds(5)) throws(QueueError) -> Bool {
        let isUsual = try reading { () throws(SQLiteError) in
            try connection.first(
                "SELECT 1 FROM installation WHERE key_check = ?1 AND NOT wiping", [.blob(seal.check)]
            ) { _ in true } ?? false
        }
        if !isUsual, try !adopt(seal) { throw QueueError(path: path, cause: .wrongKey) }
        self.seal = seal
        return isUsual ? true : try wipePlainTokens(until: BootClock.now + patience)
    }

    /// Takes a key that is new to the queue; tells whether it may be.
    private func adopt(_ seal: TokenSeal) throws(QueueError) -> Bool {
        try writing { () throws(SQLiteError) in
            try readOrMakeSecret()
            let known =
                try connection.first("SELECT key_check FROM installation") { $0.optionalBlob(0) } ?? nil
            let isSealed = try hasSealed()
            guard known != seal.check else { return true }
            guard known == nil || !isSealed else { return false }
            // Beside sealed ones a plain one was slipped in: it stays unused.
            if !isSealed { try sealPlainTokens(seal) }
            try connection.run(
                """
                UPDATE installation SET key_check = ?1,
                    wiping = wiping OR key_check IS NULL AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'devices')
                """, [.blob(seal.check)])
            return true
        }
    }

    private func hasSealed() throws(SQLiteError) -> Bool {
        try connection.first("SELECT 1 FROM devices WHERE sealed_token IS NOT NULL") { _ in true } ?? false
    }

    private func sealPlainTokens(_ seal: TokenSeal) throws(SQLiteError) {
        let plain = try connection.query(
            """
            SELECT devices.id, token, user, channel, topic FROM devices JOIN accounts ON accounts.id = account
            WHERE removed_at IS NULL
            """
        ) { row in
            (
                id: row.integer(0) as Int64, token: row.blob(1),
                context: TokenSeal.context(user: row.text(2), channel: row.text(3), topic: row.text(4))
            )
        }
        for device in plain {
            try connection.run(
                "UPDATE devices SET token = substr(token, 1, ?2), token_hash = ?3, sealed_token = ?4 WHERE id = ?1",
                [
                    .integer(device.id), Value(TokenSeal.visibleBytes), .blob(seal.hash(device.token)),
                    .blob(seal.seal(device.token, device.context)),
                ])
        }
    }

    /// Writes the file anew and empties the log, if plain tokens may have left something there.
    private func wipePlainTokens(until deadline: Duration) throws(QueueError) -> Bool {
        while true {
            do throws(SQLiteError) {
                return try wipe(until: deadline)
            } catch {
                let error = QueueError(path: path, error)
                guard error.cause == .busy || error.cause == .full else { throw error }
                if error.cause == .full || BootClock.now >= deadline { return false }
                usleep(1000)
            }
        }
    }

    private func wipe(until deadline: Duration) throws(SQLiteError) -> Bool {
        guard try connection.first("SELECT wiping FROM installation", read: { $0.integer(0) != 0 }) == true
        else { return true }
        try connection.execute("VACUUM")
        // Gives 1 while somebody reads what the log holds.
        while try connection.first("PRAGMA wal_checkpoint(TRUNCATE)", read: { $0.integer(0) }) != 0 {
            if BootClock.now >= deadline { return false }
            usleep(1000)
        }
        try connection.run("UPDATE installation SET wiping = 0")
        return true
    }
}
