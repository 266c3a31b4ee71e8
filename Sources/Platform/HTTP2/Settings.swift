internal import CNghttp2

/// A value that one side tells the other in a SETTINGS frame (RFC 9113 section 6.5.2).
public enum Setting: Equatable, Sendable {
    /// How many bytes the peer may keep for header compression.
    case headerTableSize(UInt32)
    /// How many streams the peer may have open at once.
    case maximumConcurrentStreams(UInt32)
    /// How many bytes of a body the peer may send before it must wait.
    case initialWindowSize(UInt32)
    /// The longest header block that is welcome, in uncompressed bytes: advice to the peer, which nghttp2 doesn't
    /// enforce; `HTTP2Session.maximumFieldBytes` is the bound.
    case maximumHeaderListSize(UInt32)

    var entry: nghttp2_settings_entry {
        let (identifier, value) =
            switch self {
            case .headerTableSize(let value): (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, value)
            case .maximumConcurrentStreams(let value): (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, value)
            case .initialWindowSize(let value): (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, value)
            case .maximumHeaderListSize(let value): (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, value)
            }
        return nghttp2_settings_entry(settings_id: Int32(identifier.rawValue), value: value)
    }
}

/// What the peer's SETTINGS frames amount to so far.
public struct PeerSettings: Equatable, Sendable {
    /// How many streams may be open at once; `UInt32.max` where the peer sets no limit.
    public var maximumConcurrentStreams: UInt32
    /// How many bytes the peer keeps for header compression.
    public var headerTableSize: UInt32
    /// The longest header block the peer reads; `UInt32.max` where it sets no limit.
    public var maximumHeaderListSize: UInt32

    /// Makes a value to compare with.
    public init(maximumConcurrentStreams: UInt32, headerTableSize: UInt32, maximumHeaderListSize: UInt32) {
        self.maximumConcurrentStreams = maximumConcurrentStreams
        self.headerTableSize = headerTableSize
        self.maximumHeaderListSize = maximumHeaderListSize
    }

    init(of session: OpaquePointer) {
        func value(_ identifier: nghttp2_settings_id) -> UInt32 {
            nghttp2_session_get_remote_settings(session, identifier)
        }
        self.init(
            maximumConcurrentStreams: value(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS),
            headerTableSize: value(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE),
            maximumHeaderListSize: value(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE))
    }
}
