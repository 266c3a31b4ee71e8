internal import Posix
internal import SQLite

extension QueueStore {
    /// The answers in a row that disable a device.
    static let strikesAllowed = 3

    /// Carries out what an answer tells about a delivery's device, and reports who was removed or disabled by it.
    ///
    /// Whose token is shown to be bad, because another one was taken, joins `condemned`.
    func carryOut(
        _ change: DeviceChange, ofDeviceOf delivery: Int64, _ now: WallTime, _ report: inout SettleReport,
        _ condemned: inout Set<Int64>
    ) throws(SQLiteError) {
        let device = try connection.first(
            "SELECT device FROM deliveries WHERE id = ?1", [.integer(delivery)]
        ) { $0.integer(0) as Int64 }
        guard let device else { return }
        switch change {
        case .seen(let way):
            try see(device, now)
            condemned.formUnion(try suspects(under: way))
        case .failed(let reason, let time):
            try fail(device, reason, unlessRegisteredSince: time, now)
        case .suspected(let reason, let way, let time):
            guard try fail(device, reason, unlessRegisteredSince: time, now) else { return }
            try connection.run(
                """
                UPDATE devices SET suspect_since = ifnull(suspect_since, ?2), suspect_under = ?3 WHERE id = ?1
                """, [.integer(device), Value(now), .text(way)])
        case .cleared(let way):
            try connection.run(
                """
                UPDATE devices SET suspect_since = NULL, suspect_under = NULL
                WHERE suspect_under = ?1 AND suspect_since IS NOT NULL AND removed_at IS NULL
                """, [.text(way)])
        case .struck(let reason, let time):
            // First: until the failure is noted, the last one is the one before.
            try strike(device, askedAt: time)
            guard try fail(device, reason, unlessRegisteredSince: time, now) else { return }
            if try disable(device, now) { report.disabled.append(device) }
        case .throttled(let until, let reason):
            try fail(device, reason, unlessRegisteredSince: nil, now)
            try throttle(device, until, now)
        case .reaped(let reason, let time):
            let removed = try bury(device, reason: reason, unlessRegisteredSince: time, now: now)
            if let removed { report.removed.append(removed) }
        }
    }

    private func see(_ device: Int64, _ now: WallTime) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE devices SET last_seen_at = ?2, last_failure = NULL, last_failed_at = NULL,
                suspect_since = NULL, suspect_under = NULL, strikes = 0, disabled_at = NULL,
                throttled_until = NULL, throttles = 0
            WHERE id = ?1
            """, [.integer(device), Value(now)])
    }

    /// Notes a failure, unless the device has escaped the blame; tells whether it was noted.
    @discardableResult
    private func fail(
        _ device: Int64, _ reason: String, unlessRegisteredSince time: WallTime?, _ now: WallTime
    ) throws(SQLiteError) -> Bool {
        try connection.run(
            """
            UPDATE devices SET last_failure = ?2, last_failed_at = ?4
            WHERE id = ?1 AND (?3 IS NULL OR registered_at < ?3)
            """, [.integer(device), .text(bounded(reason)), Value(time), Value(now)]) > 0
    }

    /// Counts a strike, unless the device has escaped it.
    ///
    /// What was under way together and is refused together counts as one.
    private func strike(_ device: Int64, askedAt: WallTime) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE devices SET strikes = max(0, min(strikes, ?3)) + (ifnull(last_failed_at, ?2) <= ?2)
            WHERE id = ?1 AND registered_at < ?2
            """, [.integer(device), Value(askedAt), Value(Self.maximumCount)])
    }

    /// Disables a device that has had all its strikes; tells whether that is new.
    private func disable(_ device: Int64, _ now: WallTime) throws(SQLiteError) -> Bool {
        try connection.run(
            "UPDATE devices SET disabled_at = ?2 WHERE id = ?1 AND strikes >= ?3 AND disabled_at IS NULL",
            [.integer(device), Value(now), Value(Self.strikesAllowed)]) > 0
    }

    /// Keeps a device waiting until the latest of the times it was given.
    ///
    /// What was under way together and is refused together counts as one refusal.
    private func throttle(_ device: Int64, _ until: WallTime, _ now: WallTime) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE devices SET throttled_until = max(ifnull(throttled_until, 0), ?2),
                throttles = max(0, min(throttles, ?4)) + (ifnull(throttled_until, 0) <= ?3)
            WHERE id = ?1
            """, [.integer(device), Value(until), Value(now), Value(Self.maximumCount)])
    }
}
