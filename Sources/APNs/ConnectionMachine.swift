/// One HTTP/2 connection to APNs, from the first look-up to its end: what may be sent, and what became of it.
///
/// ```
/// opening ──SETTINGS──▶ open ──GOAWAY, stop, last id──▶ draining ──last answer──▶ closed
///    │                   │                                 │
///    └────deadline───────┴──lost, silent, refusing─────────┴────────────────────▶ closed
/// ```
/// A request is submitted only after the server's SETTINGS and never above its limit (RFC 9113 section 5.1.2;
/// Apple allows one stream until it has accepted a provider token). A GOAWAY takes the connection out of use at
/// once: streams above its last id were not processed (RFC 9113 section 6.8), those below may still be answered.
///
/// Whoever uses it calls `timer` when `nextTimer` says so, and does what that asks for; every other method tells it
/// what has happened. Nothing a server does makes it trap or lose a stream.
public struct ConnectionMachine: Sendable {
    let limits: Limits
    var state: State
    /// The server's limit; 1 until it names one.
    private var maximumStreams = 1
    var waiting = WaitingStreams()
    private var welcome = Welcome.open
    /// Since when the server allows no stream at all.
    var shutSince: Duration?
    /// When bytes came last; before the first ones, when opening began.
    public internal(set) var lastReceived: Duration
    /// When bytes came that held an answer.
    var lastAnswered: Duration
    /// When a PING was sent, until bytes arrive.
    var pingedAt: Duration?
    /// Whether Apple has dealt with a delivery on this connection, be it by refusing it.
    public private(set) var isProven = false

    enum State: Equatable {
        case opening(since: Duration)
        case open
        case draining(since: Duration)
        case closed
    }

    /// Whether the server takes the streams that are opened.
    private enum Welcome: Equatable {
        case open
        /// It has refused one: the next ones go one by one, until one is answered.
        case doubted(probe: Int32?)
        /// It has refused the one that was opened after that too.
        case withdrawn
    }

    /// Starts opening.
    public init(limits: Limits = Limits(), now: Duration) {
        self.limits = limits
        state = .opening(since: now)
        lastReceived = now
        lastAnswered = now
    }

    /// How many requests may be submitted now.
    public var freeStreams: Int {
        guard state == .open else { return 0 }
        let room = max(0, min(maximumStreams, limits.streams) - waiting.count)
        return switch welcome {
        case .open: room
        case .doubted(let probe): probe == nil ? min(1, room) : 0
        case .withdrawn: 0
        }
    }

    /// Requests without an answer.
    public var openStreams: Int { waiting.count }

    /// Whether the connection is still to be opened.
    public var isOpening: Bool { if case .opening = state { true } else { false } }

    /// Whether the server refuses every stream, so that another connection would fare no better.
    public var isRefusing: Bool { welcome == .withdrawn }

    /// Whether it has been of use, and the server takes the streams that are opened.
    public var isSound: Bool { isProven && state == .open && welcome == .open }

    /// Whether it takes no more requests and its lane should wait before it opens another: it was never of use, or
    /// it refuses every stream.
    public var isUseless: Bool { isRetired && (!isProven || isRefusing) }

    /// Whether it will take no more requests, now or later.
    public var isRetired: Bool {
        switch state {
        case .draining, .closed: true
        case .opening, .open: isRefusing
        }
    }

    /// How long one address may take to connect, so that the others get their turn within the bound of opening.
    ///
    /// - Parameter addressesLeft: this one and those after it.
    public func patience(addressesLeft: Int, now: Duration) -> Duration {
        guard case .opening(let since) = state else { return .zero }
        return max(.zero, since + limits.opening - now) / max(1, addressesLeft)
    }

    /// Bytes arrived, of whatever kind: the other side lives.
    public mutating func received(now: Duration) {
        lastReceived = now
        pingedAt = nil
    }

    /// The server's SETTINGS arrived, the first or later ones; a limit of 0 means to wait (RFC 9113 section 6.5.2).
    public mutating func settingsReceived(maximumStreams: Int, now: Duration) {
        self.maximumStreams = maximumStreams
        shutSince = maximumStreams > 0 ? nil : shutSince ?? now
        if isOpening { state = .open }
    }

    /// A request was submitted on this stream, whose id is higher than all before.
    public mutating func submitted(_ stream: Int32, now: Duration) {
        waiting.add(stream, now: now)
        if case .doubted = welcome { welcome = .doubted(probe: stream) }
        // No id comes after this one (RFC 9113 section 5.1.1).
        if stream == .max { retire(now: now) }
    }

    /// The stream was answered, be it that the answer is taken for whole only at the stream's end.
    ///
    /// - Parameter provingConnection: whether the answer dealt with the delivery (`Disposition`).
    public mutating func answered(_ stream: Int32, provingConnection: Bool) {
        if provingConnection { isProven = true }
        guard waiting.remove(stream) else { return }
        lastAnswered = lastReceived
        if welcome == .doubted(probe: stream) { welcome = .open }
    }

    /// The stream ended without an answer.
    ///
    /// - Parameter code: the error of RST_STREAM; 7 is REFUSED_STREAM (RFC 9113 section 7).
    /// - Returns: what to make of the request, nil when it had been answered before.
    public mutating func closed(_ stream: Int32, code: UInt32) -> Disposition.TransportFailure? {
        guard waiting.remove(stream) else { return nil }
        let isRefused = code == 7
        switch welcome {
        case .open where isRefused: welcome = .doubted(probe: nil)
        case .doubted(stream): welcome = isRefused ? .withdrawn : .doubted(probe: nil)
        // Streams that were opened before the first refusal belong to it.
        case .open, .doubted, .withdrawn: break
        }
        return isRefused ? .notProcessed : .lost
    }

    /// The server says that it goes; it may do so several times, with falling ids.
    ///
    /// - Returns: the streams it hasn't processed.
    public mutating func goAwayReceived(lastStream: Int32, now: Duration) -> [Int32] {
        retire(now: now)
        return waiting.remove(above: lastStream)
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
        return waiting.remove(above: 0)
    }

    /// Takes off the streams that have waited too long.
    mutating func cancelOverdue(now: Duration) -> [Int32] {
        let late = waiting.removeOpened(until: now - limits.response)
        if case .doubted(let probe?) = welcome, late.contains(probe) { welcome = .doubted(probe: nil) }
        return late
    }
}
