public import Posix

/// What stands in the queue at one moment, and how wakes ended since the queue was made.
public struct QueueCounts: Equatable, Sendable {
    /// Wakes that ended one way for one reason.
    public struct Ends: Equatable, Sendable {
        /// The way, as `End` names it; another version may have written others.
        public var end: String
        /// The reason.
        public var reason: String
        /// How many, since the queue was made.
        public var count: Int64

        /// Puts a total together.
        public init(end: String, reason: String, count: Int64) {
            self.end = end
            self.reason = reason
            self.count = count
        }
    }

    /// Notices that wait to be fanned out.
    public var waiting: Int
    /// Deliveries that are due.
    public var queued: Int
    /// Deliveries that wait for a later time.
    public var deferred: Int
    /// The landing of the mail that waits longest in the queue, fanned out or not.
    public var oldest: WallTime?
    /// Ends by way and reason, in that order.
    public var ends: [Ends]
    /// Live devices that are neither doubted nor disabled.
    public var liveDevices: Int
    /// Devices whose token is doubted, and that aren't disabled.
    public var suspectDevices: Int
    /// Devices that are disabled by strikes.
    public var disabledDevices: Int
    /// Devices of any kind above for which the service wants nothing now.
    public var throttledDevices: Int

    /// Puts counts together.
    public init(
        waiting: Int = 0, queued: Int = 0, deferred: Int = 0, oldest: WallTime? = nil, ends: [Ends] = [],
        liveDevices: Int = 0, suspectDevices: Int = 0, disabledDevices: Int = 0, throttledDevices: Int = 0
    ) {
        self.waiting = waiting
        self.queued = queued
        self.deferred = deferred
        self.oldest = oldest
        self.ends = ends
        self.liveDevices = liveDevices
        self.suspectDevices = suspectDevices
        self.disabledDevices = disabledDevices
        self.throttledDevices = throttledDevices
    }
}
