/// The reason in an RST_STREAM or GOAWAY frame (RFC 9113 section 7): names for some, and room for the rest.
public struct ErrorCode: RawRepresentable, Equatable, Hashable, Sendable, CustomStringConvertible {
    /// The number in the frame.
    public let rawValue: UInt32

    /// Wraps a number from a frame.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// NO_ERROR.
    public static let noError = ErrorCode(rawValue: 0)
    /// INTERNAL_ERROR.
    public static let internalError = ErrorCode(rawValue: 2)
    /// STREAM_CLOSED.
    public static let streamClosed = ErrorCode(rawValue: 5)
    /// REFUSED_STREAM: the request wasn't processed and may be sent again.
    public static let refusedStream = ErrorCode(rawValue: 7)
    /// CANCEL.
    public static let cancel = ErrorCode(rawValue: 8)
    /// ENHANCE_YOUR_CALM.
    public static let enhanceYourCalm = ErrorCode(rawValue: 11)

    /// The name in the RFC.
    public var description: String {
        let index = Int(rawValue)
        return Self.names.indices.contains(index) ? Self.names[index] : "error \(rawValue)"
    }

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]
}
