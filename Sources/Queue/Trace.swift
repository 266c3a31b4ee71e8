public import Posix

/// All that the queue knows about one delivery, for the person who asks what became of it.
public struct Trace: Equatable, Sendable {
    /// The delivery that took another's place.
    public struct Successor: Equatable, Sendable {
        /// Its id.
        public var delivery: Int64
        /// Its `apns-id`, unless it has been pruned.
        public var apnsID: String?

        /// Names a delivery.
        public init(delivery: Int64, apnsID: String?) {
            self.delivery = delivery
            self.apnsID = apnsID
        }
    }

    /// The delivery's id.
    public var delivery: Int64
    /// Its `apns-id`.
    public var apnsID: String
    /// The attempts charged to it.
    public var attempts: Int
    /// When it is, or was last, due.
    public var nextAttemptAt: WallTime
    /// When it is worth nothing any more.
    public var expiration: WallTime
    /// When it ended; nil while it waits.
    public var endedAt: WallTime?
    /// How it ended, as `End` names it; another version may have written others.
    public var end: String?
    /// Why it ended, or was last deferred.
    public var reason: String?
    /// What it gave way to in the end: the one after it may have given way itself.
    public var supersededBy: Successor?
    /// What it tells.
    public var notice: Notice
    /// How its uid is known, or why it isn't, as dispatch names it; nil where nobody looked.
    public var uidSource: String?
    /// When the drain found the notice.
    public var insertedAt: WallTime
    /// When the notice was fanned out.
    public var decidedAt: WallTime?
    /// The device it is for, as it stands now.
    public var device: Device

    /// Puts a trace together, for tests of how it is shown.
    public init(
        delivery: Int64, apnsID: String, attempts: Int, nextAttemptAt: WallTime, expiration: WallTime,
        endedAt: WallTime? = nil, end: String? = nil, reason: String? = nil, supersededBy: Successor? = nil,
        notice: Notice, uidSource: String? = nil, insertedAt: WallTime, decidedAt: WallTime?, device: Device
    ) {
        self.delivery = delivery
        self.apnsID = apnsID
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.expiration = expiration
        self.endedAt = endedAt
        self.end = end
        self.reason = reason
        self.supersededBy = supersededBy
        self.notice = notice
        self.uidSource = uidSource
        self.insertedAt = insertedAt
        self.decidedAt = decidedAt
        self.device = device
    }
}
