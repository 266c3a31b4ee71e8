internal import APNs
internal import HTTP2
internal import Posix
internal import TLS

/// How a connection ends: by its deadlines, or because nobody wants it any more.
extension APNsConnection {
    /// Does what the time asks for.
    func actOnTimer(now: Duration) throws(Failure) {
        if case .connecting(let until, let rest) = phase, !rest.isEmpty, now >= until {
            try connect(to: rest[...], now: now)
        }
        switch machine.timer(now: now) {
        case .none: break
        case .ping: try perform { () throws(HTTP2Error) in try http2.submitPing([]) }
        case .cancel(let late):
            if machine.isRetired { farewell = farewell ?? "silence about every request" }
            for stream in late {
                // What never left can't have been processed.
                let failure: Disposition.TransportFailure = http2.hasLeft(stream) ? .timedOut : .notProcessed
                try perform { () throws(HTTP2Error) in try http2.reset(stream, code: .cancel) }
                end(stream, failure)
            }
        case .close(.openingTimedOut): throw Failure(reason: "\(endpoint.host): no connection in time")
        case .close(.silent): throw Failure(reason: "\(endpoint.host): nothing heard in time")
        case .close(.refusing): throw Failure(reason: "\(endpoint.host): every stream is refused")
        case .close(.drained):
            throw Failure(reason: "\(endpoint.host): \(farewell == nil ? "no longer wanted" : "drained")")
        }
    }

    private func perform(_ action: () throws(HTTP2Error) -> Void) throws(Failure) {
        do { try action() } catch { throw Failure(error) }
    }

    /// Ends the connection and tells what has happened; requests without an answer end as lost.
    func close(reason: String) -> [Event] {
        defer { events = [] }
        if case .closed = phase { return events }
        hearOut()
        // nghttp2 tells nothing of streams that are open when a session ends: none may be forgotten.
        for stream in machine.lost() { end(stream, http2.hasLeft(stream) ? .lost : .notProcessed) }
        sayGoodbye()
        phase = .closed
        socket = nil
        events.append(
            .closed(
                Closing(
                    reason: reason + (farewell.map { " after \($0)" } ?? ""),
                    isTrouble: !isUnwanted && machine.isUseless,
                    goAwayReason: goAwayReason)))
        return events
    }

    /// Reads once more: an answer that has arrived counts, even where sending has failed.
    private func hearOut() {
        guard case .open = phase else { return }
        try? receive(now: machine.lastReceived)
    }

    /// Tells the peer that nothing follows, or what was wrong with its handshake, as far as the kernel takes it now.
    private func sayGoodbye() {
        if case .open = phase {
            try? http2.submitGoAway(lastStreamID: 0, code: .noError)
            if let frames = try? http2.bytesToSend() { try? tls.write(frames) }
            tls.close()
        }
        try? socket?.send(tls.bytesToSend())
    }
}
