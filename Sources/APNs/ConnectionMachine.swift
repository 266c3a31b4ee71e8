/// One HTTP/2 connection to APNs, from the first look-up to its end: what may be sent, and what became of it.
///
/// ```
/// opening ──ready──▶ open ──GOAWAY, stop──▶ draining ──last answer──▶ closed
///    │                │                        │
///    └──deadline──────┴────────lost────────────┴──────────▶ closed
/// ```
/// A request is submitted only after the server's SETTINGS and never above its limit (RFC 9113 section 5.1.2;
/// Apple allows one stream until it has accepted a provider token). A GOAWAY takes the connection out of use at
/// once: streams above its last id were not processed (RFC 9113 section 6.8), those below may still be answered.
public struct ConnectionMachine: Sendable {
    /// The bounds of a connection's life.
    public struct Limits: Sendable {
        /// From the look-up of the name to the server's SETTINGS.
        public var opening: Duration = .seconds(20)
        /// From a request to its answer.
        public var response: Duration = .seconds(30)
        /// What we open at once even where the server allows more.
        public var streams = 500

        /// The bounds used in production.
        public init() {}
    }

    /// What a timer asks for.
    public enum TimerAction: Equatable, Sendable {
        case none
        /// Reset these streams with CANCEL: they were not answered in time.
        case cancel([Int32])
        /// Close the connection; nothing more will come of it.
        case close(Ending)
    }

    /// Why a connection ended, for the log and for judging its lane.
    public enum Ending: Equatable, Sendable {
        case openingTimedOut
        case silent
        case drained
    }

    private enum State: Equatable {
        case opening(since: Duration)
        case open
        case draining(since: Duration)
        case closed
    }

    private let limits: Limits
    private var state: State
    private var maximumStreams = 1
    /// Since when the server allows no stream at all.
    private var shutSince: Duration?
    private var lastReceived: Duration
    /// Streams in the order they were opened, with the time; answered ones leave `waiting` first.
    private var order: [(stream: Int32, since: Duration)] = []
    private var waiting: Set<Int32> = []
    /// Whether Apple has dealt with a delivery on this connection, be it by refusing it.
    public private(set) var isProven = false

    /// Starts opening.
    public init(limits: Limits = Limits(), now: Duration) {
        self.limits = limits
        state = .opening(since: now)
        lastReceived = now
    }

    /// How many requests may be submitted now.
    public var freeStreams: Int {
        guard state == .open else { return 0 }
        return max(0, min(maximumStreams, limits.streams) - waiting.count)
    }

    /// Requests without an answer.
    public var openStreams: Int { waiting.count }

    /// Whether the connection is still to be opened.
    public var isOpening: Bool { if case .opening = state { true } else { false } }

    /// Whether it will take no more requests, now or later.
    public var isRetired: Bool {
        switch state {
        case .draining, .closed: true
        case .opening, .open: false
        }
    }

    /// How long one address may take to connect, so that the others get their turn within the bound of opening.
    ///
    /// - Parameter addressesLeft: this one and those after it.
    public func patience(addressesLeft: Int, now: Duration) -> Duration {
        guard case .opening(let since) = state else { return .zero }
        return max(.zero, since + limits.opening - now) / max(1, addressesLeft)
    }

    /// Bytes arrived: the other side lives.
    public mutating func received(now: Duration) { lastReceived = now }

    /// The server's SETTINGS arrived, the first or later ones; a limit of 0 means to wait (RFC 9113 section 6.5.2).
    public mutating func settingsReceived(maximumStreams: Int, now: Duration) {
        self.maximumStreams = maximumStreams
        shutSince = maximumStreams > 0 ? nil : shutSince ?? now
        if isOpening { state = .open }
    }

    /// A request was submitted on this stream.
    public mutating func submitted(_ stream: Int32, now: Duration) {
        order.append((stream, now))
        waiting.insert(stream)
    }

    /// The stream was answered.
    ///
    /// - Parameter provingConnection: whether the answer dealt with the delivery (`Disposition`).
    public mutating func answered(_ stream: Int32, provingConnection: Bool) {
        waiting.remove(stream)
        if provingConnection { isProven = true }
    }

    /// The stream ended without an answer.
    ///
    /// - Parameter code: the error of RST_STREAM; 7 is REFUSED_STREAM (RFC 9113 section 7).
    /// - Returns: what to make of the request, nil when it had been answered before.
    public mutating func closed(_ stream: Int32, code: UInt32) -> Disposition.TransportFailure? {
        guard waiting.remove(stream) != nil else { return nil }
        return code == 7 ? .notProcessed : .lost
    }

    /// The server says that it goes.
    ///
    /// - Returns: the streams it hasn't processed.
    public mutating func goAwayReceived(lastStream: Int32, now: Duration) -> [Int32] {
        retire(now: now)
        let refused = waiting.filter { $0 > lastStream }.sorted()
        waiting.subtract(refused)
        return refused
    }

    /// Takes no more requests and waits for the open ones.
    public mutating func retire(now: Duration) {
        switch state {
        case .opening, .open: state = .draining(since: now)
        case .draining, .closed: break
        }
    }

    /// The connection is gone; gives the streams that will never be answered.
    public mutating func lost() -> [Int32] {
        state = .closed
        defer { waiting = [] }
        return waiting.sorted()
    }

    /// When to call `timer` at the latest; nil: nothing is waited for.
    public mutating func nextTimer() -> Duration? {
        skipAnswered()
        return switch state {
        case .opening(let since): since + limits.opening
        case .open: (order.first?.since ?? shutSince).map { $0 + limits.response }
        case .draining(let since):
            waiting.isEmpty ? since : min(since, order.first?.since ?? since) + limits.response
        case .closed: nil
        }
    }

    /// Looks at the deadlines that have passed.
    public mutating func timer(now: Duration) -> TimerAction {
        skipAnswered()
        switch state {
        case .opening(let since): return now >= since + limits.opening ? .close(.openingTimedOut) : .none
        case .draining(let since) where waiting.isEmpty || now >= since + limits.response:
            return .close(.drained)
        case .open, .draining: return overdue(now: now)
        case .closed: return .none
        }
    }

    private mutating func overdue(now: Duration) -> TimerAction {
        guard let oldest = order.first else {
            // A server that lets nobody in for so long may not be there any more.
            return shutSince.map { now >= $0 + limits.response } == true ? .close(.silent) : .none
        }
        guard now >= oldest.since + limits.response else { return .none }
        // Not a byte since the oldest request: the path is dead, not the request slow.
        if lastReceived <= oldest.since { return .close(.silent) }
        let late = order.prefix { now >= $0.since + limits.response }.map(\.stream).filter(waiting.contains)
        waiting.subtract(late)
        return .cancel(late)
    }

    private mutating func skipAnswered() {
        let answered = order.prefix { !waiting.contains($0.stream) }.count
        if answered > 0 { order.removeFirst(answered) }
    }
}
