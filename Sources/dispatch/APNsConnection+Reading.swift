internal import APNs
internal import HTTP2
internal import Posix
internal import TLS

/// The incoming half: from readiness to bytes, from bytes to frames, from frames to outcomes.
extension APNsConnection {
    /// Takes the next step that a ready descriptor allows.
    func advance(_ poller: Poller, at place: Int, now: Duration) throws(Failure) {
        switch phase {
        case .lookingUp(let lookup):
            switch lookup.result() {
            case .pending: break
            case .failed(let text): throw Failure(reason: "\(endpoint.host): \(text)")
            case .found(let addresses): try connect(to: addresses[...], now: now)
            }
        case .connecting(_, let rest):
            if let error = socket?.connectionError {
                guard !rest.isEmpty else { throw Failure(reason: "\(endpoint.host): \(error.errno)") }
                try connect(to: rest[...], now: now)
            } else {
                phase = .securing
                try secure()
            }
        case .securing, .open:
            if poller.isReadable(place) { try receive(now: now) }
        case .closed: break
        }
    }

    /// Tries the next address, and the ones after it where it fails at once.
    func connect(to addresses: ArraySlice<SocketAddress>, now: Duration) throws(Failure) {
        var rest = addresses
        var last: SystemCallError?
        while let address = rest.popFirst() {
            do throws(SystemCallError) {
                socket = try StreamSocket(connectingTo: address)
                let patience = machine.patience(addressesLeft: rest.count + 1, now: now)
                phase = .connecting(until: now + patience, rest: Array(rest))
                return
            } catch {
                last = error
            }
        }
        throw Failure(reason: "\(endpoint.host): \(last.map { "\($0.errno)" } ?? "no address")")
    }

    private func secure() throws(Failure) {
        do {
            if try tls.handshake() { phase = .open }
        } catch {
            throw Failure(reason: "\(endpoint.host): \(error)")
        }
    }

    /// How often a wake-up reads: many answers at once, and yet no peer can keep the loop to itself.
    private static let readsPerWakeUp = 16

    /// Takes what has arrived, up to a bound.
    func receive(now: Duration) throws(Failure) {
        for _ in 0..<Self.readsPerWakeUp {
            guard let bytes = try received() else { return }
            guard !bytes.isEmpty else { throw Failure(reason: "\(endpoint.host): closed by the server") }
            machine.received(now: now)
            do { try tls.receive(bytes) } catch { throw Failure(error) }
            if case .securing = phase { try secure() }
            if case .open = phase { try receiveFrames(now: now) }
        }
    }

    private func received() throws(Failure) -> [UInt8]? {
        do { return try socket?.receive(upTo: 65_536) } catch { throw Failure(error) }
    }

    private func receiveFrames(now: Duration) throws(Failure) {
        do {
            let plaintext = try tls.read()
            for event in try http2.receive(plaintext) { take(event, now: now) }
        } catch {
            throw Failure(reason: "\(endpoint.host): \(error)")
        }
        if tls.peerHasClosed { throw Failure(reason: "\(endpoint.host): closed by the server") }
    }

    /// Turns one event of the connection into what came of requests.
    func take(_ event: HTTP2Event, now: Duration) {
        switch event {
        case .settings(let settings):
            machine.settingsReceived(
                maximumStreams: Int(clamping: settings.maximumConcurrentStreams), now: now)
        case .headers(let stream, let fields): takeHeaders(stream, fields)
        case .data(let stream, let bytes): takeBody(stream, bytes)
        case .endOfStream(let stream): takeAnswer(stream)
        case .streamClosed(let stream, .noError) where streams[stream]?.status ?? 0 > 0:
            // The whole answer, though its end wasn't marked (RFC 9113 section 8.1).
            takeAnswer(stream)
        case .streamClosed(let stream, let code):
            if let failure = machine.closed(stream, code: code.rawValue) { end(stream, failure) }
        case .requestNotSent(let stream):
            _ = machine.closed(stream, code: ErrorCode.refusedStream.rawValue)
            end(stream, .notProcessed)
        case .goAway(let lastStream, let code, let data):
            goAwayReason = NotificationResponse(status: 0, retryAfter: nil, body: data).reason ?? goAwayReason
            farewell = "GOAWAY \(code)" + (goAwayReason.map { ", \($0.rawValue)" } ?? "")
            for stream in machine.goAwayReceived(lastStream: lastStream, now: now) {
                end(stream, .notProcessed)
            }
        case .pingAcknowledged: break
        }
    }

    private func takeHeaders(_ stream: Int32, _ fields: [HeaderField]) {
        // Informational responses come before the answer, trailers, which have no status, after it (RFC 9110
        // sections 15.2 and 6.5).
        guard let status = fields[":status"].flatMap({ Int($0) }), status >= 200 else { return }
        streams[stream]?.status = status
        streams[stream]?.retryAfter = fields["retry-after"]
        streams[stream]?.date = fields["date"]
    }

    private func takeBody(_ stream: Int32, _ bytes: [UInt8]) {
        // One byte more than is looked at marks a body as too long to be Apple's.
        let room = NotificationResponse.maximumBodyBytes + 1 - (streams[stream]?.body.count ?? 0)
        streams[stream]?.body.append(contentsOf: bytes.prefix(max(0, room)))
    }

    /// Takes what has come of an answer for the whole of it.
    func takeAnswer(_ stream: Int32) {
        guard let answer = streams[stream] else { return }
        let response = NotificationResponse(
            status: answer.status, retryAfter: answer.retryAfter, date: answer.date, body: answer.body)
        machine.answered(stream, provingConnection: Disposition.provesConnection(response))
        end(stream, .response(response))
    }
}
