public import Posix
internal import SQLite

extension QueueStore {
    /// Registers a device and gives its id; makes the user's account where it is missing.
    ///
    /// A live device of the account with the same channel, topic and token is updated: it keeps its id, no doubt,
    /// strike or failure is left, and what waits for it moves to the lane it is on now. A throttle stays, because
    /// it is the token's. A removed device stays removed; the new one gets an id of its own.
    ///
    /// - Throws: `wrongKey` before `unlock`, besides the usual.
    public func register(_ device: DeviceRegistration, now: WallTime) throws(QueueError) -> Int64 {
        guard let seal else { throw QueueError(path: path, cause: .wrongKey) }
        let context = TokenSeal.context(user: device.user, channel: device.channel, topic: device.topic)
        return try writing { () throws(SQLiteError) in
            try connection.run(
                "INSERT INTO accounts (user) VALUES (?1) ON CONFLICT (user) DO NOTHING", [.text(device.user)])
            try connection.run(
                "INSERT INTO lanes (environment, topic) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                [.text(device.environment), .text(device.topic)])
            let id = try connection.first(
                """
                INSERT INTO devices (account, channel, token, topic, environment, platform, label, app_version,
                    locale, account_reference, enabled_folders, created_at, registered_at, token_hash, sealed_token)
                SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, ?13, ?14
                FROM accounts WHERE user = ?1
                ON CONFLICT (channel, topic, token_hash, account) WHERE removed_at IS NULL DO UPDATE SET
                    sealed_token = excluded.sealed_token, environment = excluded.environment, platform = excluded.platform, label = excluded.label,
                    app_version = excluded.app_version, locale = excluded.locale,
                    account_reference = excluded.account_reference, enabled_folders = excluded.enabled_folders,
                    registered_at = excluded.registered_at, last_failure = NULL, last_failed_at = NULL,
                    suspect_since = NULL, suspect_under = NULL, strikes = 0, disabled_at = NULL
                RETURNING id
                """,
                [
                    .text(device.user), .text(device.channel),
                    .blob(Array(device.token.prefix(TokenSeal.visibleBytes))), .text(device.topic),
                    .text(device.environment), .text(device.platform), .text(device.label),
                    Value(device.appVersion), Value(device.locale), Value(device.accountReference),
                    .text(device.enabledFolders.joined(separator: "\n")), Value(now),
                    .blob(seal.hash(device.token)), .blob(seal.seal(device.token, context)),
                ]
            ) { $0.integer(0) as Int64 }
            guard let id else { return 0 }
            try connection.run(
                """
                UPDATE deliveries SET lane = lanes.id FROM lanes
                WHERE environment = ?2 AND topic = ?3 AND device = ?1 AND ended_at IS NULL AND lane <> lanes.id
                """, [.integer(id), .text(device.environment), .text(device.topic)])
            return id
        }
    }

    /// All devices by id, tombstones included until their last delivery is pruned.
    public func devices() throws(QueueError) -> [Device] {
        try reading { () throws(SQLiteError) in
            try devices(of: try connection.query("SELECT id FROM devices ORDER BY id") { $0.integer(0) })
        }
    }

    /// The devices with these ids.
    func devices(of ids: [Int64]) throws(SQLiteError) -> [Device] {
        var devices: [Device] = []
        for id in ids {
            if let device = try device(id) { devices.append(device.device) }
        }
        return devices
    }

    /// A device and whether its account wants any push.
    func device(_ id: Int64) throws(SQLiteError) -> (device: Device, pushEnabled: Bool)? {
        try connection.first(
            """
            SELECT account, user, channel, token, topic, environment, platform, label, app_version, locale,
                account_reference, enabled_folders, created_at, registered_at, last_seen_at, last_failure,
                last_failed_at, suspect_since, strikes, disabled_at, throttled_until, throttles, removed_at,
                removed_reason, notify_push, sealed_token
            FROM devices JOIN accounts ON accounts.id = account WHERE devices.id = ?1
            """, [.integer(id)]
        ) { row in
            let context = TokenSeal.context(user: row.text(1), channel: row.text(2), topic: row.text(4))
            let token = row.optionalBlob(25).flatMap { seal?.open($0, context) }
            let registration = DeviceRegistration(
                user: row.text(1), channel: row.text(2),
                token: token ?? Array(row.blob(3).prefix(TokenSeal.visibleBytes)), topic: row.text(4),
                environment: row.text(5), platform: row.text(6), label: row.text(7),
                appVersion: row.optionalText(8), locale: row.optionalText(9),
                accountReference: row.optionalText(10),
                enabledFolders: row.text(11).split(separator: "\n").map(String.init))
            let device = Device(
                id: id, account: row.integer(0), registration: registration, createdAt: row.time(12),
                registeredAt: row.time(13), lastSeenAt: row.optionalTime(14),
                lastFailure: row.optionalText(15), lastFailedAt: row.optionalTime(16),
                suspectSince: row.optionalTime(17), strikes: row.count(18),
                disabledAt: row.optionalTime(19),
                throttledUntil: row.optionalTime(20), throttles: row.count(21),
                removedAt: row.optionalTime(22), removedReason: row.optionalText(23))
            return (device, row.integer(24) != 0)
        }
    }
}
