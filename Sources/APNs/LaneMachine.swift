/// Decides whether a lane may send: the way of all deliveries with the same environment, team, key and topic.
///
/// ```
/// open ──trouble──▶ paused(until) ──time──▶ probing ──accepted──▶ open
///   ▲                    ▲                     │
///   └────────accepted────┴───────trouble───────┘
/// ```
/// While paused nothing is sent; while probing one delivery at a time is, until Apple takes one. Every kind of
/// trouble doubles its own pause each time, and nothing but a delivery that Apple takes starts them anew. Nothing
/// of this is ever charged to a delivery.
public struct LaneMachine: Equatable, Sendable {
    /// What pauses a lane; each kind starts with a pause of its own length.
    public enum Trouble: String, CaseIterable, Sendable {
        /// No connection came about, or one was lost before Apple took anything.
        case connection
        /// Apple refused our credentials or our topic.
        case refused
        /// The servers fail one request after the other.
        case overloaded
        /// One token after the other is unknown: most likely the environment is the wrong one.
        case unknownTokens = "unknown_tokens"
    }

    /// How many failures of the servers in a row, without a delivery taken, pause a lane.
    public static let strainLimit = 10
    /// How many devices in a row may be unknown, without a delivery taken.
    public static let doubtLimit = 10
    /// A connection isn't replaced sooner after the last.
    public static let replacementInterval: Duration = .seconds(60)
    /// No pause is longer, whatever a server asks for.
    public static let longestPause = RetrySchedule.acceptedRetryAfter.upperBound

    private enum State: Equatable {
        case open
        case paused(until: Duration)
        case probing
    }

    private var state: State = .open
    /// How often each kind of trouble has paused the lane since Apple last took a delivery.
    private var pauses: [Trouble: Int] = [:]
    private var strains = 0
    private var doubtedDevices: Set<Int64> = []
    private var replacedAt: Duration?
    /// What keeps the lane from sending freely; nil while nothing does.
    public private(set) var trouble: Trouble?
    /// The same for people.
    public private(set) var reason: String?

    /// Starts open.
    public init() {}

    /// The first pause after `trouble`, and the longest one.
    private static func bounds(of trouble: Trouble) -> (first: Duration, longest: Duration) {
        switch trouble {
        case .connection: (.seconds(1), .seconds(60))
        case .refused, .overloaded, .unknownTokens: (.seconds(15), .seconds(900))
        }
    }

    /// How many deliveries may be in hand at this moment.
    ///
    /// - Parameters:
    ///   - now: time since boot.
    ///   - inHand: how many are.
    public func allowance(now: Duration, inHand: Int = 0) -> Int {
        switch state {
        case .open: .max
        case .probing: 1
        case .paused(let until): now >= until && inHand == 0 ? 1 : 0
        }
    }

    /// Begins to probe if a pause is over: call it before anything is sent.
    ///
    /// A pause ends only when nothing is in hand: an answer while probing is then the probe's own, and none to
    /// something sent before the pause.
    ///
    /// - Parameters:
    ///   - now: time since boot.
    ///   - inHand: how many deliveries are in hand.
    public mutating func endPause(now: Duration, inHand: Int = 0) {
        if case .paused = state, allowance(now: now, inHand: inHand) > 0 { state = .probing }
    }

    /// Whether nothing may be sent; until when, in time since boot.
    public var pausedUntil: Duration? {
        guard case .paused(let until) = state else { return nil }
        return until
    }

    /// Whether an unknown token speaks against the lane instead of the device, until Apple takes a delivery.
    public var isDoubted: Bool { pauses[.unknownTokens] != nil }

    /// Apple took a delivery: the lane is open and all trouble forgotten.
    ///
    /// During a pause it is the answer to something sent before, and says nothing of what comes.
    ///
    /// - Returns: whether that ended a pause, which is worth a line in the log.
    @discardableResult
    public mutating func accepted() -> Bool {
        if case .paused = state { return false }
        let wasOpen = state == .open
        state = .open
        pauses = [:]
        strains = 0
        doubtedDevices = []
        trouble = nil
        reason = nil
        return !wasOpen
    }

    /// The lane itself is in trouble.
    ///
    /// - Parameters:
    ///   - trouble: its kind.
    ///   - reason: for people, in a few words.
    ///   - atLeast: how long there is surely no use in trying.
    ///   - now: time since boot.
    ///   - jitter: from 0 to 1, at random; takes off up to a half.
    /// - Returns: whether this begins a pause; false while one lasts, so that many answers make one line.
    public mutating func troubled(
        by trouble: Trouble, reason: String, atLeast: Duration? = nil, now: Duration, jitter: Double
    ) -> Bool {
        if case .paused = state { return false }
        let (first, longest) = Self.bounds(of: trouble)
        let before = pauses[trouble, default: 0]
        let full = min(first * (1 << min(before, 10)), longest)
        let pause = max(full * (1 - min(max(jitter, 0), 1) / 2), min(atLeast ?? .zero, Self.longestPause))
        state = .paused(until: now + pause)
        pauses[trouble] = min(before + 1, 10)
        strains = 0
        doubtedDevices = []
        self.trouble = trouble
        self.reason = reason
        return true
    }

    /// A server failed: a run of that pauses the lane, and a failed probe does at once.
    ///
    /// - Parameters:
    ///   - reason: for people, in a few words.
    ///   - retryAfter: what the server asked for.
    ///   - now: time since boot.
    ///   - jitter: from 0 to 1, at random; takes off up to a half.
    /// - Returns: whether this begins a pause.
    public mutating func strained(reason: String, retryAfter: Duration?, now: Duration, jitter: Double)
        -> Bool
    {
        strains += 1
        guard strains >= Self.strainLimit || state == .probing else { return false }
        return troubled(by: .overloaded, reason: reason, atLeast: retryAfter, now: now, jitter: jitter)
    }

    /// Apple doesn't know a device's token: a run of different devices pauses the lane, and the first does again
    /// while the lane is in doubt.
    ///
    /// - Parameters:
    ///   - device: its id.
    ///   - reason: for people, in a few words.
    ///   - now: time since boot.
    ///   - jitter: from 0 to 1, at random; takes off up to a half.
    /// - Returns: whether this begins a pause.
    public mutating func doubted(device: Int64, reason: String, now: Duration, jitter: Double) -> Bool {
        doubtedDevices.insert(device)
        guard doubtedDevices.count >= Self.doubtLimit || isDoubted else { return false }
        return troubled(by: .unknownTokens, reason: reason, now: now, jitter: jitter)
    }

    /// Whether to look for a better server by a new connection; asking counts as doing it.
    ///
    /// - Parameter now: time since boot.
    public mutating func mayReplaceConnection(now: Duration) -> Bool {
        if let replacedAt, now < replacedAt + Self.replacementInterval { return false }
        replacedAt = now
        return true
    }
}
