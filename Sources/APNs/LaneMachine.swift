/// Decides whether a lane may send: the way of all deliveries with the same environment, team, key and topic.
///
/// ```
/// open ──trouble──▶ paused(until) ──time──▶ probing ──accepted──▶ open
///   ▲                    ▲                     │
///   └────────accepted────┴───────trouble───────┘
/// ```
/// While paused nothing is sent; while probing one delivery at a time is, until Apple takes one. Each trouble in
/// a row doubles the pause. Nothing of this is ever charged to a delivery.
public struct LaneMachine: Equatable, Sendable {
    /// What a lane does now.
    public enum State: Equatable, Sendable {
        case open
        case paused(until: Duration)
        case probing
    }

    /// What pauses a lane; each kind starts with a pause of its own length.
    public enum Trouble: Equatable, Sendable {
        /// No connection came about, or one was lost before Apple took anything.
        case connection
        /// Apple refused our credentials.
        case refused
    }

    private var state: State = .open
    private var troublesInARow = 0
    private var lastTrouble: Trouble?
    /// Why the lane isn't open, for people; nil while it is.
    public private(set) var reason: String?

    /// Starts open.
    public init() {}

    /// The longest pause after `trouble`, and the first one.
    static func pauses(after trouble: Trouble) -> (first: Duration, longest: Duration) {
        switch trouble {
        case .connection: (.seconds(1), .seconds(60))
        case .refused: (.seconds(15), .seconds(900))
        }
    }

    /// How many deliveries may be in hand at this moment.
    public mutating func allowance(now: Duration) -> Int {
        if case .paused(let until) = state, now >= until { state = .probing }
        return switch state {
        case .open: .max
        case .probing: 1
        case .paused: 0
        }
    }

    /// Whether nothing may be sent; until when, in time since boot.
    public var pausedUntil: Duration? {
        guard case .paused(let until) = state else { return nil }
        return until
    }

    /// Apple took a delivery: the lane is open and all trouble forgotten.
    ///
    /// During a pause it is the answer to something sent before, and says nothing of what comes.
    ///
    /// - Returns: whether that ended a pause, which is worth a line in the log.
    @discardableResult
    public mutating func accepted() -> Bool {
        if case .paused = state { return false }
        let wasOpen = state == .open
        self = LaneMachine()
        return !wasOpen
    }

    /// The lane itself is in trouble.
    ///
    /// - Parameters:
    ///   - trouble: its kind.
    ///   - reason: for people, in a few words.
    ///   - now: time since boot.
    ///   - jitter: from 0 to 1, at random; takes off up to a half.
    /// - Returns: whether this begins a pause; false while one lasts, so that many answers make one line.
    public mutating func troubled(by trouble: Trouble, reason: String, now: Duration, jitter: Double) -> Bool
    {
        if case .paused = state { return false }
        if trouble != lastTrouble { troublesInARow = 0 }
        lastTrouble = trouble
        let (first, longest) = Self.pauses(after: trouble)
        let doublings = min(troublesInARow, 10)
        let full = min(first * (1 << doublings), longest)
        state = .paused(until: now + full * (1 - min(max(jitter, 0), 1) / 2))
        troublesInARow += 1
        self.reason = reason
        return true
    }
}
