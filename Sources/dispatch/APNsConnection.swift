internal import APNs
internal import Glibc
internal import HTTP2
internal import Posix
internal import TLS

/// One connection to APNs: carries out what its machine decides on a socket, a TLS and an HTTP/2 session.
///
/// Used from one loop: `watch` says what to wait for, `service` does what can be done without waiting and tells
/// what came of requests. Every request that was submitted comes back exactly once as an outcome.
final class APNsConnection {
    /// What `service` tells.
    enum Event {
        /// The request of this delivery has ended.
        case ended(delivery: Int64, Answer)
        /// It takes no more requests, unasked, and is useless; it may go on waiting for answers.
        case retiredUseless(reason: String)
        /// The connection is gone; it has no requests left.
        case closed(Closing)
    }

    /// How a connection ended.
    struct Closing: Equatable {
        /// For people: what happened and, where known, why.
        let reason: String
        /// Whether it ended unasked and was useless, and `retiredUseless` hasn't told.
        let isTrouble: Bool
        /// What the server's GOAWAY named, a configuration's fault among it.
        var goAwayReason: Reason?
    }

    /// A failure of any layer below, as one line.
    struct Failure: Error {
        let reason: String

        init(_ cause: some Error) { reason = "\(cause)" }
        init(reason: String) { self.reason = reason }
    }

    enum Phase {
        case lookingUp(NameLookup)
        /// One address is being tried until a time; the others come after it.
        case connecting(until: Duration, rest: [SocketAddress])
        case securing
        case open
        case closed
    }

    let endpoint: Endpoint
    let tls: TLSSession
    let http2: HTTP2Session
    var machine: ConnectionMachine
    var phase: Phase
    /// Comes and goes while addresses are tried.
    var socket: StreamSocket?
    /// The delivery on each stream, and what has come of its answer so far.
    var streams: [Int32: Stream] = [:]
    /// Why it was taken out of use, for the log.
    var farewell: String?
    /// What the server's GOAWAY named, which is known before the connection has ended.
    var goAwayReason: Reason?
    /// Set when this side wants no more of it, or has told why: its end is then nobody's trouble.
    var isUnwanted = false
    /// What `service` and `close` will hand out.
    var events: [Event] = []
    private var place: Int?

    /// A request that waits for its answer.
    struct Stream {
        let delivery: Int64
        var status = 0
        var retryAfter: String?
        var date: String?
        var body: [UInt8] = []
    }

    /// Starts to open a connection, with a look-up of its own: addresses change.
    init(
        to endpoint: Endpoint, context: TLSContext, limits: ConnectionMachine.Limits, now: Duration,
        lookUp: (Endpoint) throws(SystemCallError) -> NameLookup = APNsConnection.lookUp
    ) throws(Failure) {
        self.endpoint = endpoint
        machine = ConnectionMachine(limits: limits, now: now)
        do {
            tls = try TLSSession(client: context, hostName: endpoint.host)
            http2 = try HTTP2Session(role: .client, settings: [])
            phase = .lookingUp(try lookUp(endpoint))
        } catch {
            throw Failure(error)
        }
    }

    private static func lookUp(_ endpoint: Endpoint) throws(SystemCallError) -> NameLookup {
        try NameLookup(host: endpoint.host, port: endpoint.port)
    }

    /// Adds what this connection waits for.
    func watch(with poller: inout Poller) {
        place =
            switch phase {
            case .lookingUp(let lookup): poller.add(lookup.rawValue)
            case .connecting: socket.map { poller.add($0.rawValue, reading: false, writing: true) }
            case .securing, .open: socket.map { poller.add($0.rawValue, writing: $0.hasUnsent) }
            case .closed: nil
            }
    }

    /// Submits a request; ask the machine for a free stream first.
    ///
    /// It is sent by the next `flush`. Where the connection can take no more after all, the request ends as not
    /// processed, with the next `service`.
    func submit(_ request: NotificationRequest, delivery: Int64, providerToken: String, now: Duration)
        throws(HTTP2Error)
    {
        let headers = request.headers(authority: endpoint.authority, providerToken: providerToken).map {
            HeaderField($0.name, $0.value, indexing: $0.recurs ? .incremental : .never)
        }
        do throws(HTTP2Error) {
            let stream = try http2.submitRequest(headers, body: request.payload.bytes)
            streams[stream] = Stream(delivery: delivery)
            machine.submitted(stream, now: now)
        } catch  where error.code == .streamIDsExhausted || error.code == .startNotAllowed {
            machine.retire(now: now)
            events.append(.ended(delivery: delivery, .missing(.notProcessed)))
        }
    }

    /// When to call `service` at the latest; nil: nothing is waited for.
    var nextTimer: Duration? {
        guard case .connecting(let until, let rest) = phase, !rest.isEmpty else { return machine.nextTimer() }
        return min(until, machine.nextTimer() ?? until)
    }

    /// Does what `poller` found possible and what the time asks for; tells what has happened.
    func service(_ poller: Poller, now: Duration) -> [Event] {
        do throws(Failure) {
            if let place, poller.isReadable(place) || poller.isWritable(place) {
                try advance(poller, at: place, now: now)
            }
            try actOnTimer(now: now)
            try flush()
            // Frames of ours may have ended streams while they were packed.
            for event in http2.nextEvents() { take(event, now: now) }
            if case .open = phase, http2.isFinished {
                throw Failure(
                    reason: "\(endpoint.host): HTTP/2 \(http2.complaint.map { "\($0)" } ?? "is over")")
            }
        } catch {
            return close(reason: error.reason)
        }
        // Now, not when it closes: until then its lane might open one such connection after the other.
        if machine.isUseless, !isUnwanted {
            isUnwanted = true
            let reason = machine.isRefusing ? "every stream is refused" : "no longer wanted"
            events.append(.retiredUseless(reason: farewell ?? "\(endpoint.host): \(reason)"))
        }
        defer { events = [] }
        return events
    }

    /// Hands to the kernel what is to be sent; call it after submitting.
    func flush() throws(Failure) {
        guard let socket else { return }
        do {
            try socket.send(tls.bytesToSend())
            // While the network is slow frames stay in nghttp2, whose bounds then hold.
            guard case .open = phase, !socket.hasUnsent else { return }
            try tls.write(try http2.bytesToSend())
            try socket.send(tls.bytesToSend())
        } catch {
            throw Failure(error)
        }
    }

    /// Takes a stream off the list and notes how it ended, unless it was off already.
    func end(_ stream: Int32, _ answer: Answer) {
        guard let delivery = streams.removeValue(forKey: stream)?.delivery else { return }
        events.append(.ended(delivery: delivery, answer))
    }

    /// The same for one that ended before its answer was whole.
    func end(_ stream: Int32, _ failure: Disposition.TransportFailure) {
        // A 200 has no body: with its header fields Apple has taken the wake.
        if streams[stream]?.status == 200 { takeAnswer(stream) } else { end(stream, .missing(failure)) }
    }
}
