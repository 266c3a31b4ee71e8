/// Keeps from asking what doesn't answer, and finds out when it does again.
///
/// ```
/// closed ──failure──▶ open(until) ──time──▶ probing ──success──▶ closed
///                        ▲                     │
///                        └──────failure────────┘   each pause twice the last
/// ```
struct Breaker: Sendable {
    static let firstPause: Duration = .seconds(1)
    static let longestPause: Duration = .seconds(60)

    private enum State: Equatable {
        case closed
        case open(until: Duration)
        case probing
    }

    private var state = State.closed
    private var pause = firstPause

    /// Whether something may be asked now.
    func isPassable(now: Duration) -> Bool {
        switch state {
        case .closed: true
        case .open(let until): now >= until
        case .probing: false
        }
    }

    /// Something is asked: after a pause that is the probe.
    mutating func pass() { if case .open = state { state = .probing } }

    /// It wasn't, which says nothing new in a pause: it was asked before.
    mutating func failed(now: Duration) {
        if case .open = state { return }
        state = .open(until: now + pause)
        pause = min(pause * 2, Self.longestPause)
    }

    /// The probe has told nothing; the next one may go.
    mutating func probeWasLost(now: Duration) { if state == .probing { state = .open(until: now) } }
}
