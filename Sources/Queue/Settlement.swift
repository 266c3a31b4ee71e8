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

    /// Puts a delivery together, for tests of what is decided about it.
    public init(
        id: Int64, attempts: Int, nextAttemptAt: WallTime, apnsID: String, collapseID: String?,
        expiration: WallTime,
        notice: Notice, device: Device?, pushEnabled: Bool
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
    }
}

/// What one answer means for a delivery and its device.
public struct Settlement: Equatable, Sendable {
    /// The delivery's id.
    public var delivery: Int64
    /// The attempts charged when it was taken; part of the guard.
    public var attempts: Int
    /// When it was due when it was taken; part of the guard.
    public var nextAttemptAt: WallTime
    /// What becomes of the delivery.
    public var outcome: Outcome
    /// What becomes of its device.
    public var deviceChange: DeviceChange?

    /// Puts a settlement together.
    public init(
        delivery: Int64, attempts: Int, nextAttemptAt: WallTime, outcome: Outcome,
        deviceChange: DeviceChange? = nil
    ) {
        self.delivery = delivery
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.outcome = outcome
        self.deviceChange = deviceChange
    }

    /// Settles a delivery as it was taken.
    public init(_ taken: DueDelivery, _ outcome: Outcome, deviceChange: DeviceChange? = nil) {
        self.init(
            delivery: taken.id, attempts: taken.attempts, nextAttemptAt: taken.nextAttemptAt,
            outcome: outcome,
            deviceChange: deviceChange)
    }
}

/// What becomes of a delivery.
public enum Outcome: Equatable, Sendable {
    /// It is over. `sent` and `failed` charge the attempt that brought the answer.
    case ended(End, reason: String)
    /// It waits until a time, which is kept in whole seconds, rounded up. Only our own trouble isn't charged.
    case deferred(until: WallTime, charged: Bool, reason: String)
}

/// What an answer tells about the device it came for.
public enum DeviceChange: Equatable, Sendable {
    /// The service took a push for it: no doubt and no failure is left.
    case seen
    /// The service blamed it.
    case failed(reason: String)
    /// Its token is doubted; a doubt that stands keeps its date.
    case suspected(reason: String)
    /// It is gone, unless it registered at or after `unlessRegisteredSince`: the guard is checked with the change.
    case reaped(reason: String, unlessRegisteredSince: WallTime? = nil)
}
