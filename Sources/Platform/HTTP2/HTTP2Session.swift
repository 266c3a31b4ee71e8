internal import CNghttp2

/// One HTTP/2 connection without a socket: plaintext from the peer goes in, plaintext for the peer comes out.
///
/// Give what arrives to `receive` and act on its events; then send `bytesToSend`, always, since nghttp2 answers
/// SETTINGS and PING by itself; then look at `nextEvents`, because a stream that ends with a frame of ours is closed
/// as that frame is packed. A request ends with exactly one of `streamClosed` and `requestNotSent`, unless the
/// connection goes first: then whatever is in `openStreams` has no answer, and that is the caller's to settle.
///
/// Nothing is sent and nothing of the caller's runs while nghttp2 is at work: its callbacks only note events
/// (it isn't re-entrant, programmers' guide). Nothing a peer sends traps. One thread.
public final class HTTP2Session {
    /// Which side of the connection this is.
    public enum Role: Sendable {
        case client, server
    }

    let role: Role
    private let session: OpaquePointer

    /// Requests without an end so far: for a client all it has submitted, for a server all that have arrived.
    public internal(set) var openStreams: Set<Int32> = []

    /// The error in a GOAWAY that this side has sent, which nghttp2 does when the peer breaks the protocol; or nil.
    public internal(set) var complaint: ErrorCode?

    var events: [HTTP2Event] = []
    var outgoingBodies: [Int32: OutgoingBody] = [:]
    var incomingFields: [HeaderField] = []
    /// What all header blocks of a stream have come to, informational responses and trailers included.
    var incomingFieldBytes: [Int32: Int] = [:]
    /// Requests that `bytesToSend` hasn't given out.
    var waitingRequests: Set<Int32> = []
    private var failure: HTTP2Error?

    /// The most that the fields of one stream may come to, by the measure of RFC 9113 section 6.5.2.
    ///
    /// A byte can stand for a field of 4,096 (HPACK's table), and nghttp2 has no bound of its own. A stream above it
    /// is reset, INTERNAL_ERROR, and reported closed by that; nothing of the block is kept.
    public static let maximumFieldBytes = 16_384

    /// Starts a connection; its first bytes, with these settings, are in `bytesToSend`.
    ///
    /// A client takes no pushed streams and opens one stream at most until the server's settings have come: nghttp2
    /// by itself would assume that 100 are welcome.
    public init(role: Role, settings: [Setting] = []) throws(HTTP2Error) {
        var options: OpaquePointer?
        var callbacks: OpaquePointer?
        defer {
            nghttp2_option_del(options)
            nghttp2_session_callbacks_del(callbacks)
        }
        try HTTP2Error.check("make options", nghttp2_option_new(&options))
        try HTTP2Error.check("make callbacks", nghttp2_session_callbacks_new(&callbacks))
        nghttp2_option_set_peer_max_concurrent_streams(options, 1)
        setCallbacks(of: callbacks)
        var session: OpaquePointer?
        let result =
            switch role {
            case .client: nghttp2_session_client_new2(&session, callbacks, nil, options)
            case .server: nghttp2_session_server_new2(&session, callbacks, nil, options)
            }
        try HTTP2Error.check("make a session", result)
        guard let session else {
            throw HTTP2Error(operation: "make a session", code: .init(rawValue: NGHTTP2_ERR_NOMEM.rawValue))
        }
        self.role = role
        self.session = session
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        let noPush = nghttp2_settings_entry(
            settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
        try submit((role == .client ? [noPush] : []) + settings.map(\.entry))
    }

    deinit { nghttp2_session_del(session) }

    /// Takes plaintext that arrived from the peer, in pieces of any length, and gives what it meant.
    ///
    /// Throws when the bytes can't be HTTP/2 or the peer floods this side with frames that want an answer; events
    /// that came before are given first, and the error is thrown by the next call of this or `bytesToSend`.
    public func receive(_ bytes: [UInt8]) throws(HTTP2Error) -> [HTTP2Event] {
        if let failure { throw failure }
        do throws(HTTP2Error) {
            try HTTP2Error.check("receive", nghttp2_session_mem_recv(session, bytes, bytes.count))
        } catch {
            failure = error
            if events.isEmpty { throw error }
        }
        return nextEvents()
    }

    /// Takes out the events since the last call of this or `receive`.
    public func nextEvents() -> [HTTP2Event] {
        defer { events = [] }
        return events
    }

    /// Takes out what must go to the peer now, as far as its flow control allows.
    ///
    /// Don't call it while earlier bytes wait for the network: then nghttp2's own bound on unsent answers holds
    /// against a peer that asks and doesn't read.
    public func bytesToSend() throws(HTTP2Error) -> [UInt8] {
        if let failure { throw failure }
        var bytes: [UInt8] = []
        while true {
            var piece: UnsafePointer<UInt8>?
            let count = try HTTP2Error.check("send", nghttp2_session_mem_send(session, &piece))
            guard count > 0 else { return bytes }
            bytes += UnsafeBufferPointer(start: piece, count: count)
        }
    }

    /// Whether nothing more is to be read or sent: after GOAWAY and the end of the last stream, or a broken protocol.
    public var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    /// The id that the next request will have; ids are odd, grow, and end at 2^31 - 1.
    public var nextStreamID: UInt32 { nghttp2_session_get_next_stream_id(session) }

    /// Skips ids, to test what happens when they run out.
    public func skip(toStreamID id: Int32) throws(HTTP2Error) {
        try HTTP2Error.check("skip stream ids", nghttp2_session_set_next_stream_id(session, id))
    }

    /// Queues a request and gives its stream id; over the peer's stream limit it waits inside.
    ///
    /// Throws `startNotAllowed` after a GOAWAY and `streamIDsExhausted` when ids have run out.
    public func submitRequest(_ headers: [HeaderField], body: [UInt8]) throws(HTTP2Error) -> Int32 {
        // nghttp2 would take it, and say only when its turn comes that it can't be sent.
        if nghttp2_session_check_request_allowed(session) == 0, nextStreamID <= Int32.max {
            throw HTTP2Error(operation: "submit a request", code: .startNotAllowed)
        }
        let stream = withNameValuePairs(headers) { pairs, count in
            withDataProvider(for: body) { nghttp2_submit_request(session, nil, pairs, count, $0, nil) }
        }
        try HTTP2Error.check("submit a request", stream)
        outgoingBodies[stream] = OutgoingBody(body)
        openStreams.insert(stream)
        waitingRequests.insert(stream)
        return stream
    }

    /// Whether `bytesToSend` has given out the header fields of this open request; before that the peer can't have
    /// processed it.
    public func hasLeft(_ stream: Int32) -> Bool { !waitingRequests.contains(stream) }

    /// Queues the response to a request that has arrived; a DATA frame holds at most `frameBytes` of the body.
    public func submitResponse(
        _ stream: Int32, _ headers: [HeaderField], body: [UInt8], frameBytes: Int = .max
    ) throws(HTTP2Error) {
        let result = withNameValuePairs(headers) { pairs, count in
            withDataProvider(for: body) { nghttp2_submit_response(session, stream, pairs, count, $0) }
        }
        try HTTP2Error.check("submit a response", result)
        outgoingBodies[stream] = OutgoingBody(body, frameBytes: frameBytes)
    }

    /// Queues changed settings.
    public func submitSettings(_ settings: [Setting]) throws(HTTP2Error) { try submit(settings.map(\.entry)) }

    /// Queues a GOAWAY: streams above `lastStreamID` won't be processed.
    public func submitGoAway(lastStreamID: Int32, code: ErrorCode, data: [UInt8] = []) throws(HTTP2Error) {
        try HTTP2Error.check(
            "submit GOAWAY",
            nghttp2_submit_goaway(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), lastStreamID, code.rawValue, data, data.count))
    }

    /// Queues a PING; only the first eight bytes count, and fewer are filled up with zeros.
    public func submitPing(_ opaque: [UInt8]) throws(HTTP2Error) {
        let eight = Array((opaque + [UInt8](repeating: 0, count: 8)).prefix(8))
        try HTTP2Error.check(
            "submit PING", nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), eight))
    }

    /// Queues the sudden end of a stream.
    public func reset(_ stream: Int32, code: ErrorCode) throws(HTTP2Error) {
        try HTTP2Error.check(
            "reset a stream",
            nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue))
    }

    private func submit(_ entries: [nghttp2_settings_entry]) throws(HTTP2Error) {
        try HTTP2Error.check(
            "submit SETTINGS",
            nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count))
    }
}
