public import Posix

/// A device as it stands in the queue, live or, once removed, as a tombstone.
@dynamicMemberLookup
public struct Device: Equatable, Sendable {
    /// Its id, never used again.
    public var id: Int64
    /// The id of the account it belongs to.
    public var account: Int64
    /// What was registered last.
    ///
    /// Of the token the first 4 bytes only, to know it by, where it is a tombstone, can't be opened, or the queue
    /// isn't unlocked.
    public var registration: DeviceRegistration
    /// When it was first registered.
    public var createdAt: WallTime
    /// When it was last registered.
    public var registeredAt: WallTime
    /// When the service last took a push for it.
    public var lastSeenAt: WallTime?
    /// The reason of the last failure since it was last seen or registered.
    public var lastFailure: String?
    /// When that failure was.
    public var lastFailedAt: WallTime?
    /// Since when its token is doubted.
    public var suspectSince: WallTime?
    /// The answers in a row that say it is another app's.
    public var strikes: Int
    /// When the last allowed strike silenced it, until it registers again.
    public var disabledAt: WallTime?
    /// Until when the service wants nothing for it; kept beyond that time, until something is taken.
    public var throttledUntil: WallTime?
    /// How often in a row the service has said so.
    public var throttles: Int
    /// When it became a tombstone.
    public var removedAt: WallTime?
    /// Why it became a tombstone.
    public var removedReason: String?

    /// Puts a device together, for tests of what is decided about it.
    public init(
        id: Int64, account: Int64, registration: DeviceRegistration, createdAt: WallTime,
        registeredAt: WallTime,
        lastSeenAt: WallTime? = nil, lastFailure: String? = nil, lastFailedAt: WallTime? = nil,
        suspectSince: WallTime? = nil, strikes: Int = 0, disabledAt: WallTime? = nil,
        throttledUntil: WallTime? = nil, throttles: Int = 0,
        removedAt: WallTime? = nil, removedReason: String? = nil
    ) {
        self.id = id
        self.account = account
        self.registration = registration
        self.createdAt = createdAt
        self.registeredAt = registeredAt
        self.lastSeenAt = lastSeenAt
        self.lastFailure = lastFailure
        self.lastFailedAt = lastFailedAt
        self.suspectSince = suspectSince
        self.strikes = strikes
        self.disabledAt = disabledAt
        self.throttledUntil = throttledUntil
        self.throttles = throttles
        self.removedAt = removedAt
        self.removedReason = removedReason
    }

    /// The fields of the registration read as the device's own.
    public subscript<Field>(dynamicMember field: KeyPath<DeviceRegistration, Field>) -> Field {
        registration[keyPath: field]
    }
}
