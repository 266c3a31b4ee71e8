internal import CNghttp2

/// A call that nghttp2 refused, or bytes from the peer after which it can't go on.
public struct HTTP2Error: Error, Equatable, Sendable, CustomStringConvertible {
    /// nghttp2's own codes: names for those a caller acts on, and room for the rest.
    public struct Code: RawRepresentable, Equatable, Sendable {
        /// The negative number of the library.
        public let rawValue: CInt

        /// Wraps a code of the library.
        public init(rawValue: CInt) { self.rawValue = rawValue }

        /// This connection has used up its stream ids; open a new one.
        public static let streamIDsExhausted = Code(rawValue: NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue)
        /// The peer has sent GOAWAY; open a new connection.
        public static let startNotAllowed = Code(rawValue: NGHTTP2_ERR_START_STREAM_NOT_ALLOWED.rawValue)
    }

    /// What was being done.
    public let operation: String
    /// Why it failed.
    public let code: Code

    /// One line for a log; never holds anything the peer sent.
    public var description: String {
        "HTTP/2: \(operation): \(String(cString: nghttp2_strerror(code.rawValue)))"
    }

    /// Throws when `result` is one of the library's negative codes; else gives it.
    @discardableResult
    static func check<Result: SignedInteger>(_ operation: String, _ result: Result) throws(HTTP2Error)
        -> Result
    {
        guard result < 0 else { return result }
        throw HTTP2Error(operation: operation, code: Code(rawValue: CInt(result)))
    }
}
