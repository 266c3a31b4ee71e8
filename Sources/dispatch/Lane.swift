internal import APNs
internal import Posix
internal import Queue

/// What deliveries that go the same way have in common.
///
/// Team and key are the configuration's, one for all.
struct LaneName: Hashable, Comparable, CustomStringConvertible {
    var environment: Environment
    var topic: String

    var description: String { "\(environment.rawValue) \(topic)" }

    static func < (left: LaneName, right: LaneName) -> Bool {
        (left.environment.rawValue, left.topic) < (right.environment.rawValue, right.topic)
    }
}

/// One lane at work: its breaker, its connections, and the deliveries in hand.
final class Lane {
    /// A delivery between its claim and the commit of its settlement.
    struct InHand {
        let delivery: DueDelivery
        /// Whose request it is; nil where none was needed.
        var request: Request?
    }

    /// What is to be known of a request when its answer comes.
    struct Request {
        let submittedAt: WallTime
        let provider: Provider
        let providerToken: String
    }

    let name: LaneName
    var machine = LaneMachine()
    var demand = ConnectionDemand()
    var openings = OpeningAllowance()
    /// When the present pause began, for `doorbell status`.
    var pausedSince: WallTime?
    /// Every connection that still has something to wait for, draining ones among them.
    var connections: [APNsConnection] = []
    /// Everything claimed and not yet settled, by delivery.
    var inHand: [Int64: InHand] = [:]
    /// Whose an odd place of the next claim is (`ClaimOrder`).
    var oddIsRetry = false

    init(_ name: LaneName) { self.name = name }

    /// How many deliveries may be claimed beside those in hand.
    func allowance(now: Duration) -> Int {
        max(0, machine.allowance(now: now, inHand: inHand.count) - inHand.count)
    }

    /// How many requests the connections have room for.
    var freeStreams: Int { connections.reduce(0) { $0 + $1.machine.freeStreams } }

    /// The connection for the next request: the oldest that has room, so that the others rest.
    var freeConnection: APNsConnection? { connections.first { $0.machine.freeStreams > 0 } }

    /// What connections there are.
    var stock: ConnectionDemand.Stock {
        ConnectionDemand.Stock(
            all: connections.count, inUse: connections.count { !$0.machine.isRetired },
            sound: connections.count { $0.machine.isSound })
    }

    /// Whether a connection may be opened for something to send.
    func opensConnection(now: Duration) -> Bool {
        openings.next <= now
            && demand.opensAnother(beside: stock, isProbing: machine.reason != nil, now: now)
    }

    /// Whether a request waits for its answer, of a device that is asked about one at a time: one that Apple has told to
    /// wait, or doubts.
    func hasInHand(another delivery: DueDelivery) -> Bool {
        guard let device = delivery.device, device.throttledUntil != nil || device.suspectSince != nil else {
            return false
        }
        return inHand.values.contains {
            $0.request != nil && $0.delivery.device?.id == device.id && $0.delivery.id != delivery.id
        }
    }

    /// Takes no more requests on any connection; what is open may still be answered.
    func retireConnections(now: Duration) {
        for connection in connections {
            connection.isUnwanted = true
            connection.machine.retire(now: now)
        }
    }
}
