public import Posix

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
