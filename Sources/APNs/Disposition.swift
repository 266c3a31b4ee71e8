/// What an answer, or the lack of one, means for the delivery, its device and the way it was sent.
///
/// The table is Apple's "Handling notification responses from APNs". A reason counts only with the status it is
/// documented for; every status has a row, so an answer that nobody has seen yet has one too.
public struct Disposition: Equatable, Sendable {
    /// What becomes of the delivery.
    public enum DeliveryAction: Equatable, Sendable {
        case sent
        /// Tried again; `charged` says whether this try counts towards the backoff.
        case deferred(charged: Bool)
        case failed
        /// Refused because the device is gone: decided by when it registered.
        case judgedByRegistration
    }

    /// What becomes of the device.
    public enum DeviceAction: Equatable, Sendable {
        case none
        /// It exists: Apple took a wake for it.
        case seen
        /// Apple doesn't know the token, which may also be our mistake.
        case suspected
        /// The token is another app's.
        case struck
        /// It has had too many wakes: it alone waits.
        case throttled
    }

    /// What becomes of all deliveries that go the same way (same environment, team, key and topic).
    public enum LaneAction: Equatable, Sendable {
        case none
        /// Apple refuses our key or topic, whatever the delivery: wait, then try with one.
        case paused
        /// The server is in trouble: counts towards a run of such answers.
        case strained
        /// Apple doesn't know a token: a run of such answers means that the environment is wrong, not the devices.
        case doubted
    }

    /// What becomes of the connection it came by.
    public enum ConnectionAction: Equatable, Sendable {
        case none
        /// Answers what is open and takes no more: nothing good will come of it.
        case retired
        /// Another one may reach a server that does better: worth a try now and then, as the lane decides.
        case replaced
    }

    /// What becomes of the provider token it was asked with.
    public enum ProviderTokenAction: Equatable, Sendable {
        case none
        /// Apple doesn't take it: a new one is signed as soon as that is allowed.
        case refused
    }

    /// For the delivery.
    public var delivery: DeliveryAction
    /// For the device.
    public var device: DeviceAction
    /// For the lane.
    public var lane: LaneAction
    /// For the connection.
    public var connection: ConnectionAction
    /// For the provider token.
    public var providerToken: ProviderTokenAction
    /// Whether this program did something that Apple's rules forbid, or met one it doesn't know: an error for the
    /// log, since no device and no setting explains it.
    public var isOurFault: Bool

    init(
        _ delivery: DeliveryAction, device: DeviceAction = .none, lane: LaneAction = .none,
        connection: ConnectionAction = .none, providerToken: ProviderTokenAction = .none,
        isOurFault: Bool = false
    ) {
        self.delivery = delivery
        self.device = device
        self.lane = lane
        self.connection = connection
        self.providerToken = providerToken
        self.isOurFault = isOurFault
    }

    /// Whether an answer shows that connection and lane work: Apple has looked at the delivery.
    public static func provesConnection(_ response: NotificationResponse) -> Bool {
        let disposition = of(response)
        return disposition.lane != .strained && disposition.delivery != .deferred(charged: false)
    }
}
