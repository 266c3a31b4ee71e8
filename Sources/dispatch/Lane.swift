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

/// One lane at work: its breaker, its connection, and the deliveries in hand.
final class Lane {
    /// A delivery between its submission and the commit of its settlement.
    struct InHand {
        let delivery: DueDelivery
        let requestedAt: WallTime
    }

    let name: LaneName
    var machine = LaneMachine()
    /// When the present pause began, for `doorbell status`.
    var pausedSince: WallTime?
    /// The connection that takes requests, if there is one.
    var connection: APNsConnection?
    /// Connections that only wait for their last answers.
    var draining: [APNsConnection] = []
    /// Everything claimed and not yet settled, by delivery.
    var inHand: [Int64: InHand] = [:]
    /// False once the queue has said that nothing is due; true again when it may have changed.
    var mayHaveDue = true

    init(_ name: LaneName) { self.name = name }

    /// Every connection that still has something to wait for.
    var connections: [APNsConnection] { draining + (connection.map { [$0] } ?? []) }

    /// How many deliveries may be claimed now.
    func room(now: Duration) -> Int {
        let allowed = machine.allowance(now: now, inHand: inHand.count) - inHand.count
        return max(0, min(allowed, connection?.machine.freeStreams ?? 0))
    }

    /// Moves a connection that takes no more requests out of the way.
    func retireConnectionIfNeeded() {
        guard let retired = connection, retired.machine.isRetired else { return }
        connection = nil
        draining.append(retired)
    }

    /// Forgets a connection that has closed.
    func forget(_ closed: APNsConnection) {
        if connection === closed { connection = nil }
        draining.removeAll { $0 === closed }
    }
}
