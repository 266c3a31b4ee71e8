internal import JSON

/// What APNs answered to one request.
///
/// Tolerant on purpose: a proxy's HTML page, an empty body or a reason nobody has seen must end in a disposition
/// like everything else.
public struct NotificationResponse: Equatable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// The reason of a refusal, when the body names one.
    public var reason: Reason?
    /// Of a 410: when Apple last saw the token invalid, in milliseconds since the epoch.
    public var timestamp: Int64?
    /// How long to wait before the next try, when the answer says so in seconds.
    public var retryAfter: Duration?

    /// Puts an answer together.
    public init(
        status: Int, reason: Reason? = nil, timestamp: Int64? = nil, retryAfter: Duration? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
    }

    /// The longest body that is looked at; Apple's have some 60 bytes.
    public static let maximumBodyBytes = 4096

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - status: the `:status` field.
    ///   - retryAfter: the `retry-after` field, where there is one.
    ///   - body: all DATA of the stream.
    public init(status: Int, retryAfter: String?, body: [UInt8]) {
        self.status = status
        let members =
            body.count <= Self.maximumBodyBytes ? try? JSONParser.parse(body, maximumDepth: 4) : nil
        // Bounded and printable: the text goes into the queue and into a log line.
        reason = (members?["reason"]?.string).flatMap { text in
            text.utf8.count <= 64 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                ? Reason(rawValue: text) : nil
        }
        timestamp = members?["timestamp"]?.integer
        // RFC 9110 section 10.2.3 allows a date too, which is then as if nothing had been said.
        if let seconds = retryAfter.flatMap({ Int64($0) }), seconds >= 0 {
            self.retryAfter = .seconds(seconds)
        }
    }

    /// The reason where there is one, else the status: what a row or a log line calls this answer.
    public var summary: String { reason?.rawValue ?? "status \(status)" }
}
