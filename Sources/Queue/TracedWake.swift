/// A notice and what became of it, for the person who asks about a user's phone.
public struct TracedWake: Equatable, Sendable {
    /// What happened.
    public var notice: Notice
    /// How its uid is known, or why it isn't, as dispatch names it; nil where nobody looked.
    public var uidSource: String?
    /// How it ended without ever becoming a delivery, as `End` names it; else nil.
    public var end: String?
    /// Why it ended so.
    public var reason: String?
    /// Its deliveries, one a device.
    public var deliveries: [Trace]

    /// Puts a wake together.
    public init(
        notice: Notice, uidSource: String? = nil, end: String?, reason: String?, deliveries: [Trace]
    ) {
        self.notice = notice
        self.uidSource = uidSource
        self.end = end
        self.reason = reason
        self.deliveries = deliveries
    }
}
