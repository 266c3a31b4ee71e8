extension ConnectionMachine {
    /// The bounds of a connection's life.
    public struct Limits: Sendable {
        /// From the look-up of the name to the server's SETTINGS.
        public var opening: Duration = .seconds(20)
        /// From a request to its answer.
        public var response: Duration = .seconds(30)
        /// Without a byte while requests wait, until a PING asks whether anybody is there.
        public var quiet: Duration = .seconds(10)
        /// Without a byte while nothing waits; Apple advises against asking more often.
        public var idle: Duration = .seconds(3600)
        /// From a PING to the first byte of whatever kind; `quiet` and this together are less than `response`.
        public var pong: Duration = .seconds(10)
        /// What we open at once even where the server allows more.
        public var streams = 500

        /// The bounds used in production.
        public init() {}
    }

    /// What a timer asks for.
    public enum TimerAction: Equatable, Sendable {
        case none
        /// Ask the server for a sign of life.
        case ping
        /// Reset these streams with CANCEL: they were not answered in time.
        case cancel([Int32])
        /// Close the connection; nothing more will come of it.
        case close(Ending)
    }

    /// Why a connection ended, for the log and for judging its lane.
    public enum Ending: Equatable, Sendable {
        case openingTimedOut
        case silent
        case refusing
        case drained
    }

    /// When to call `timer` at the latest; nil: nothing is waited for.
    public func nextTimer() -> Duration? {
        switch state {
        case .opening(let since): since + limits.opening
        case .open where isRefusing && waiting.isEmpty: .zero
        case .open: min(signOfLifeAt, overdueAt ?? shutUntil ?? signOfLifeAt)
        case .draining(let since) where waiting.isEmpty: since
        case .draining(let since): min(since + limits.response, signOfLifeAt, overdueAt ?? signOfLifeAt)
        case .closed: nil
        }
    }

    /// Looks at the deadlines that have passed; call it again while `nextTimer` has.
    public mutating func timer(now: Duration) -> TimerAction {
        switch state {
        case .opening(let since): return now >= since + limits.opening ? .close(.openingTimedOut) : .none
        // What it has taken before may still be answered.
        case .open where isRefusing && waiting.isEmpty: return .close(.refusing)
        // A server that lets nobody in for so long may not be there any more.
        case .open where isPast(shutUntil, now): return .close(.silent)
        case .draining(let since) where waiting.isEmpty || now >= since + limits.response:
            return .close(.drained)
        case .open, .draining: return askOrCancel(now: now)
        case .closed: return .none
        }
    }

    private mutating func askOrCancel(now: Duration) -> TimerAction {
        if isPast(overdueAt, now) {
            // A server that answers nothing, even if it lives, would keep all later requests waiting as well.
            if let oldest = waiting.oldest, lastAnswered <= oldest { retire(now: now) }
            return .cancel(cancelOverdue(now: now))
        }
        guard isPast(signOfLifeAt, now) else { return .none }
        if pingedAt != nil { return .close(.silent) }
        pingedAt = now
        return .ping
    }

    private func isPast(_ time: Duration?, _ now: Duration) -> Bool { time.map { now >= $0 } == true }

    private var overdueAt: Duration? { waiting.oldest.map { $0 + limits.response } }

    private var shutUntil: Duration? { waiting.isEmpty ? shutSince.map { $0 + limits.response } : nil }

    /// When the next byte is wanted: the answer to a PING, or else a PING is to be sent.
    private var signOfLifeAt: Duration {
        if let pingedAt { return pingedAt + limits.pong }
        guard let oldest = waiting.oldest else { return lastReceived + limits.idle }
        return max(lastReceived, oldest) + limits.quiet
    }
}
