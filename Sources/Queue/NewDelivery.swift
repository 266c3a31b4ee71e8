public import Posix

/// One delivery to be made out of a notice.
public struct NewDelivery: Equatable, Sendable {
    /// The device's id.
    public var device: Int64
    /// The `apns-id` of all its attempts.
    public var apnsID: String
    /// The `apns-collapse-id` of all its attempts.
    public var collapseID: String?
    /// When it is worth nothing any more; kept in whole seconds, rounded down.
    public var expiration: WallTime
    /// When it may be tried first, rounded up to whole seconds; nil: at once.
    public var notBefore: WallTime?
    /// Whether it takes the place of the one for the same device and folder that waits for its first try, unless
    /// that is due before it.
    public var replacesWaiting: Bool

    /// Puts a delivery together.
    public init(
        device: Int64, apnsID: String, collapseID: String?, expiration: WallTime, notBefore: WallTime? = nil,
        replacesWaiting: Bool = false
    ) {
        self.device = device
        self.apnsID = apnsID
        self.collapseID = collapseID
        self.expiration = expiration
        self.notBefore = notBefore
        self.replacesWaiting = replacesWaiting
    }
}
