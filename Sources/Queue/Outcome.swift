public import Posix

/// What becomes of a delivery.
public enum Outcome: Equatable, Sendable {
    /// It is over. `sent` and `failed` charge the attempt that brought the answer.
    ///
    /// `supersededBy` is the delivery that tells as much.
    case ended(End, reason: String, supersededBy: Int64? = nil)
    /// It waits until a time, which is kept in whole seconds, rounded up. Only our own trouble isn't charged.
    case deferred(until: WallTime, charged: Bool, reason: String)
}
