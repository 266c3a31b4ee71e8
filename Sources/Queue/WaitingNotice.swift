/// A notice that waits for its fan-out.
public struct WaitingNotice: Equatable, Sendable {
    /// What the drain found.
    public var notice: Notice
    /// Whether it may ring: its account wants push and has a live device.
    public var mayRing: Bool
}
