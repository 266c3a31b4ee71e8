/// Keeps from asking what doesn't answer, and finds out when it does again.
///
/// ```
/// closed ──failure──▶ open(until) ──time──▶ probing ──success──▶ closed
///                        ▲                     │
///                        └──────failure────────┘   each pause twice the last
/// ```
struct Breaker: Sendable {
    /// The pauses for what doesn't answer.
    static let silence: ClosedRange<Duration> = .seconds(1)...(.seconds(60))
    /// Those for who isn't let in: Dovecot makes everybody at our address wait for each try with a wrong password.
    static let refusal: ClosedRange<Duration> = .seconds(15)...(.seconds(900))

    private enum State: Equatable {
        case closed
        case open(until: Duration)
        case probing
    }

    private var state = State.closed
    private var pause = silence.lowerBound

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
    mutating func failed(now: Duration, _ pauses: ClosedRange<Duration> = silence) {
        if case .open = state, pause > pauses.lowerBound { return }
        let length = min(max(pause, pauses.lowerBound), pauses.upperBound)
        state = .open(until: now + length)
        pause = min(length * 2, pauses.upperBound)
    }

    /// The probe has told nothing; the next one may go.
    mutating func probeWasLost(now: Duration) { if state == .probing { state = .open(until: now) } }
}
