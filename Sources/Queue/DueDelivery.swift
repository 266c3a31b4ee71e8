public import Posix

/// A delivery that is due, with everything needed to send it.
public struct DueDelivery: Equatable, Sendable {
    /// Its id, never used again.
    public var id: Int64
    /// The attempts charged so far.
    public var attempts: Int
    /// When it was due.
    public var nextAttemptAt: WallTime
    /// The `apns-id` of all its attempts.
    public var apnsID: String
    /// The `apns-collapse-id` of all its attempts.
    public var collapseID: String?
    /// When it is worth nothing any more; whole seconds.
    public var expiration: WallTime
    /// What it tells.
    public var notice: Notice
    /// The device as it is now; nil when it has been removed.
    public var device: Device?
    /// Whether the device's account wants any push now.
    public var pushEnabled: Bool
    /// The newest delivery for the same device and folder that waits or was sent, where that isn't this one.
    ///
    /// Looked up for stale deliveries and for throttled devices only.
    public var newer: Int64?
    /// Why it was deferred last; nil: it never was.
    public var lastReason: String?

    /// Puts a delivery together, for tests of what is decided about it.
    public init(
        id: Int64, attempts: Int, nextAttemptAt: WallTime, apnsID: String, collapseID: String?,
        expiration: WallTime,
        notice: Notice, device: Device?, pushEnabled: Bool, newer: Int64? = nil, lastReason: String? = nil
    ) {
        self.id = id
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.apnsID = apnsID
        self.collapseID = collapseID
        self.expiration = expiration
        self.notice = notice
        self.device = device
        self.pushEnabled = pushEnabled
        self.newer = newer
        self.lastReason = lastReason
    }
}
