internal import CNghttp2

// nghttp2 calls these while it packs or unpacks frames. Each recovers the session, copies what it was given and notes
// an event; none calls back into nghttp2 or out to a user of the session.

extension HTTP2Session {
    /// The session behind the pointer that nghttp2 hands to every callback.
    static func of(_ user: UnsafeMutableRawPointer?) -> HTTP2Session? {
        user.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }

    fileprivate func received(_ frame: nghttp2_frame, in session: OpaquePointer) {
        // The type comes first: one flag bit means END_STREAM in HEADERS and DATA, and ACK in SETTINGS and PING.
        let flags = frame.hd.flags
        let stream = frame.hd.stream_id
        switch nghttp2_frame_type(UInt32(frame.hd.type)) {
        case NGHTTP2_HEADERS:
            events.append(.headers(stream: stream, incomingFields))
            incomingFields = []
            if flags & endStream != 0 { events.append(.endOfStream(stream)) }
        case NGHTTP2_DATA:
            if flags & endStream != 0 { events.append(.endOfStream(stream)) }
        case NGHTTP2_SETTINGS:
            if flags & acknowledged == 0 { events.append(.settings(PeerSettings(of: session))) }
        case NGHTTP2_PING:
            if flags & acknowledged != 0 {
                events.append(.pingAcknowledged(withUnsafeBytes(of: frame.ping.opaque_data, Array.init)))
            }
        case NGHTTP2_GOAWAY:
            let goAway = frame.goaway
            let data = UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
            events.append(
                .goAway(
                    lastStreamID: goAway.last_stream_id, code: ErrorCode(rawValue: goAway.error_code),
                    data: Array(data)))
        default: break
        }
    }

    fileprivate func began(_ frame: nghttp2_frame) {
        incomingFields = []
        if role == .server { openStreams.insert(frame.hd.stream_id) }
    }

    /// Keeps one field of the block that is arriving; false when its stream has had its share.
    fileprivate func keep(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, of stream: Int32
    )
        -> Bool
    {
        // What a field counts for, RFC 9113 section 6.5.2.
        incomingFieldBytes[stream, default: 0] += name.count + value.count + 32
        guard incomingFieldBytes[stream, default: 0] <= Self.maximumFieldBytes else {
            incomingFields = []
            return false
        }
        incomingFields.append(
            HeaderField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        return true
    }

    fileprivate func sent(_ frame: nghttp2_frame) {
        switch nghttp2_frame_type(UInt32(frame.hd.type)) {
        case NGHTTP2_HEADERS: waitingRequests.remove(frame.hd.stream_id)
        case NGHTTP2_GOAWAY where frame.goaway.error_code != ErrorCode.noError.rawValue:
            complaint = ErrorCode(rawValue: frame.goaway.error_code)
        default: break
        }
    }

    /// Notes the end of a stream, unless it has been noted: a request that wasn't sent is closed as well.
    fileprivate func ended(_ stream: Int32, _ event: HTTP2Event) {
        outgoingBodies[stream] = nil
        incomingFieldBytes[stream] = nil
        waitingRequests.remove(stream)
        if openStreams.remove(stream) != nil { events.append(event) }
    }
}

private let endStream = UInt8(NGHTTP2_FLAG_END_STREAM.rawValue)
private let acknowledged = UInt8(NGHTTP2_FLAG_ACK.rawValue)

func setCallbacks(of callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
        if let frame { HTTP2Session.of(user)?.began(frame.pointee) }
        return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
        _, frame, name, nameLength, value, valueLength, _, user in
        let name = UnsafeBufferPointer(start: name, count: nameLength)
        let value = UnsafeBufferPointer(start: value, count: valueLength)
        guard let frame, let session = HTTP2Session.of(user) else { return 0 }
        // Resets the stream; the rest of the block is decoded for the compressor's sake and told to nobody.
        return session.keep(name, value, of: frame.pointee.hd.stream_id)
            ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
        _, _, stream, data, length, user in
        let bytes = Array(UnsafeBufferPointer(start: data, count: length))
        HTTP2Session.of(user)?.events.append(.data(stream: stream, bytes))
        return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, user in
        if let session, let frame { HTTP2Session.of(user)?.received(frame.pointee, in: session) }
        return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, user in
        HTTP2Session.of(user)?.ended(stream, .streamClosed(stream, code: ErrorCode(rawValue: code)))
        return 0
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, user in
        guard let frame = frame?.pointee, frame.hd.type == UInt8(NGHTTP2_HEADERS.rawValue),
            frame.headers.cat == NGHTTP2_HCAT_REQUEST
        else { return 0 }
        HTTP2Session.of(user)?.ended(frame.hd.stream_id, .requestNotSent(stream: frame.hd.stream_id))
        return 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
        if let frame { HTTP2Session.of(user)?.sent(frame.pointee) }
        return 0
    }
}
