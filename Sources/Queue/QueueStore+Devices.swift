public import Posix
internal import SQLite

extension QueueStore {
    /// Registers a device and gives its id; makes the user's account where it is missing.
    ///
    /// A live device of the account with the same channel, topic and token is updated: it keeps its id, and no
    /// doubt or failure is left, and what waits for it moves to the lane it is on now. A removed one stays removed; the device gets a new id.
    public func register(_ device: DeviceRegistration, now: WallTime) throws(QueueError) -> Int64 {
        try writing { () throws(SQLiteError) in
            try connection.run(
                "INSERT INTO accounts (user) VALUES (?1) ON CONFLICT (user) DO NOTHING", [.text(device.user)])
            try connection.run(
                "INSERT INTO lanes (environment, topic) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                [.text(device.environment), .text(device.topic)])
            let id = try connection.first(
                """
                INSERT INTO devices (account, channel, token, topic, environment, platform, label, app_version,
                    locale, account_reference, enabled_folders, created_at, registered_at)
                SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12 FROM accounts WHERE user = ?1
                ON CONFLICT (channel, topic, token, account) WHERE removed_at IS NULL DO UPDATE SET
                    environment = excluded.environment, platform = excluded.platform, label = excluded.label,
                    app_version = excluded.app_version, locale = excluded.locale,
                    account_reference = excluded.account_reference, enabled_folders = excluded.enabled_folders,
                    registered_at = excluded.registered_at, last_failure = NULL, suspect_since = NULL
                RETURNING id
                """,
                [
                    .text(device.user), .text(device.channel), .blob(device.token), .text(device.topic),
                    .text(device.environment), .text(device.platform), .text(device.label),
                    Value(device.appVersion), Value(device.locale), Value(device.accountReference),
                    .text(device.enabledFolders.joined(separator: "\n")), Value(now),
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

    /// Removes a device: what waits for it ends dropped; gives false where there is no live one of this id.
    public func removeDevice(_ id: Int64, now: WallTime) throws(QueueError) -> Bool {
        try writing { () throws(SQLiteError) in
            try bury(id, reason: "operator", unlessRegisteredSince: nil, now: now)
        }
    }

    /// Makes a live device a tombstone and ends what waits for it; gives false where nothing was done.
    func bury(_ id: Int64, reason: String, unlessRegisteredSince time: WallTime?, now: WallTime)
        throws(SQLiteError) -> Bool
    {
        let buried = try connection.run(
            """
            UPDATE devices SET removed_at = ?2, removed_reason = ?3, token = substr(token, 1, 4)
            WHERE id = ?1 AND removed_at IS NULL AND (?4 IS NULL OR registered_at < ?4)
            """, [.integer(id), Value(now), .text(bounded(reason)), Value(time)])
        guard buried > 0 else { return false }
        let dropped = try connection.run(
            """
            UPDATE deliveries SET ended_at = ?2, end = 'dropped', reason = 'device_gone'
            WHERE device = ?1 AND ended_at IS NULL
            """, [.integer(id), Value(now)])
        try count(.dropped, DropReason.deviceGone.rawValue, dropped)
        return true
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
                suspect_since, removed_at, removed_reason, notify_push
            FROM devices JOIN accounts ON accounts.id = account WHERE devices.id = ?1
            """, [.integer(id)]
        ) { row in
            let registration = DeviceRegistration(
                user: row.text(1), channel: row.text(2), token: row.blob(3), topic: row.text(4),
                environment: row.text(5), platform: row.text(6), label: row.text(7),
                appVersion: row.optionalText(8), locale: row.optionalText(9),
                accountReference: row.optionalText(10),
                enabledFolders: row.text(11).split(separator: "\n").map(String.init))
            let device = Device(
                id: id, account: row.integer(0), registration: registration, createdAt: row.time(12),
                registeredAt: row.time(13), lastSeenAt: row.optionalTime(14),
                lastFailure: row.optionalText(15),
                suspectSince: row.optionalTime(16), removedAt: row.optionalTime(17),
                removedReason: row.optionalText(18))
            return (device, row.integer(19) != 0)
        }
    }
}
