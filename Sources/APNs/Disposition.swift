/// What an answer, or the lack of one, means for the delivery, its device and the way it was sent.
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
        case suspect
        /// Remembered as its last failure.
        case blamed
    }

    /// What becomes of all deliveries that go the same way (same environment, team, key and topic).
    public enum LaneAction: Equatable, Sendable {
        case none
        /// The trouble isn't this delivery's: wait, then try with one.
        case pause
    }

    /// What becomes of the connection it came by.
    public enum ConnectionAction: Equatable, Sendable {
        case none
        /// Answers what is open and takes no more: what wasn't looked at goes by a new one. Each turn of that wheel
        /// either gets something accepted or ends with a pause of the lane.
        case retire
    }

    /// For the delivery.
    public var delivery: DeliveryAction
    /// For the device.
    public var device: DeviceAction
    /// For the lane.
    public var lane: LaneAction
    /// For the connection.
    public var connection: ConnectionAction

    init(
        _ delivery: DeliveryAction, device: DeviceAction = .none, lane: LaneAction = .none,
        connection: ConnectionAction = .none
    ) {
        self.delivery = delivery
        self.device = device
        self.lane = lane
        self.connection = connection
    }

    /// Whether an answer with this disposition shows that connection and lane work: Apple has looked at the delivery.
    public static func provesConnection(_ response: NotificationResponse) -> Bool {
        !(500...599).contains(response.status) && of(response).delivery != .deferred(charged: false)
    }

    /// Judges an answer; every status has a row, so an unknown reason has one too.
    public static func of(_ response: NotificationResponse) -> Disposition {
        switch response.status {
        case 200: Disposition(.sent, device: .seen)
        case 400: ofBadRequest(response.reason)
        // Our key, team or topic is refused, not this delivery.
        case 403: Disposition(.deferred(charged: false), lane: .pause)
        case 410: Disposition(.judgedByRegistration)
        case 429: Disposition(.deferred(charged: true))
        case 500...599:
            Disposition(
                .deferred(charged: true), connection: response.reason == .shutdown ? .retire : .none)
        default: Disposition(.failed)
        }
    }

    private static func ofBadRequest(_ reason: Reason?) -> Disposition {
        switch reason {
        case Reason.badDeviceToken: Disposition(.failed, device: .suspect)
        case Reason.deviceTokenNotForTopic: Disposition(.failed, device: .blamed)
        // The connection was too old, which is nobody's fault.
        case Reason.idleTimeout: Disposition(.deferred(charged: false), connection: .retire)
        default: Disposition(.failed)
        }
    }

    /// Why a request got no answer.
    public enum TransportFailure: Equatable, Sendable {
        /// The server said that it didn't look at it (GOAWAY above the last stream, REFUSED_STREAM), or it was
        /// never sent.
        case notProcessed
        /// Bytes were sent and nothing is known: the connection was lost or the server reset the stream.
        case lost
        /// The server took the request and said nothing in time.
        case timedOut

        /// What a row or a log line calls it.
        public var summary: String {
            switch self {
            case .notProcessed: "not processed"
            case .lost: "connection lost"
            case .timedOut: "no answer in time"
            }
        }
    }

    /// Judges the lack of an answer: only a request that may have been processed is charged.
    public static func of(_ failure: TransportFailure) -> Disposition {
        switch failure {
        case .notProcessed: Disposition(.deferred(charged: false), connection: .retire)
        case .lost, .timedOut: Disposition(.deferred(charged: true))
        }
    }
}
