/// Decides when a program that was told to stop ends: at once when nothing is in hand, else when the answers are
/// in or the bound has passed.
struct StopMachine: Equatable {
    /// How long open requests may take.
    ///
    /// supervisord's stopwaitsecs for dispatch must be longer.
    static let bound: Duration = .seconds(10)

    private(set) var deadline: Duration?

    /// Whether new work is still begun.
    var isStopping: Bool { deadline != nil }

    /// SIGTERM: the first sets the bound, a second one ends it at once.
    mutating func stopRequested(now: Duration) {
        deadline = deadline == nil ? now + Self.bound : now
    }

    /// Whether to end now.
    func shouldEnd(inHand: Int, now: Duration) -> Bool {
        guard let deadline else { return false }
        return inHand == 0 || now >= deadline
    }
}
