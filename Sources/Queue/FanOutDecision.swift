/// What becomes of a notice.
public enum FanOutDecision: Equatable, Sendable {
    /// One delivery for each of these devices; none at all is a drop for want of a device.
    case deliver([NewDelivery])
    /// The notice ends here.
    case drop(DropReason)
}
