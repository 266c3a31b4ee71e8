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
    /// Live devices whose token isn't doubted.
    public var liveDevices: Int
    /// Live devices whose token is doubted.
    public var suspectDevices: Int
}
