internal import JSON

/// What APNs answered to one request.
///
/// Tolerant on purpose: a proxy's HTML page, an empty body or a reason nobody has seen must end in a disposition
/// like everything else. Of a body only the reason and the timestamp are kept: the rest may be anybody's text.
public struct NotificationResponse: Equatable, Sendable {
    /// When a server wants to be asked again (RFC 9110 section 10.2.3).
    public enum RetryAfter: Equatable, Sendable {
        case delay(Duration)
        /// In seconds since the epoch, by the server's clock.
        case time(Int64)
    }

    /// The HTTP status.
    public var status: Int
    /// The reason of a refusal, when the body names one.
    public var reason: Reason?
    /// Of a 410: when Apple last saw the token invalid, in milliseconds since the epoch.
    public var timestamp: Int64?
    /// When the next try is welcome, if the answer says so.
    public var retryAfter: RetryAfter?
    /// When the answer was made, in seconds since the epoch by the server's clock.
    public var answeredAt: Int64?

    /// Puts an answer together.
    public init(
        status: Int, reason: Reason? = nil, timestamp: Int64? = nil, retryAfter: RetryAfter? = nil,
        answeredAt: Int64? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
        self.answeredAt = answeredAt
    }

    /// The longest body that is looked at; Apple's have some 60 bytes.
    public static let maximumBodyBytes = 4096

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - status: the `:status` field.
    ///   - retryAfter: the `retry-after` field, where there is one.
    ///   - date: the `date` field, where there is one.
    ///   - body: all DATA of the stream.
    public init(status: Int, retryAfter: String?, date: String? = nil, body: [UInt8]) {
        self.status = status
        let members =
            body.count <= Self.maximumBodyBytes ? try? JSONParser.parse(body, maximumDepth: 4) : nil
        // Bounded and printable: the text goes into the queue and into a log line.
        reason = (members?["reason"]?.string).flatMap { text in
            text.utf8.count <= 64 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                ? Reason(rawValue: text) : nil
        }
        timestamp = members?["timestamp"]?.integer
        self.retryAfter = retryAfter.flatMap(Self.retryAfter)
        answeredAt = date.flatMap(HTTPDate.seconds)
    }

    private static func retryAfter(_ text: String) -> RetryAfter? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return HTTPDate.seconds(text).map(RetryAfter.time)
        }
        // More than any number holds is as long as can be.
        return .delay(.seconds(Int64(text) ?? .max))
    }

    /// How long the server wants us to wait; nil when it hasn't said, or nothing that makes sense.
    ///
    /// A date is compared with the answer's own, so that a wrong clock of ours doesn't matter.
    ///
    /// - Parameter wallSeconds: our clock, for an answer without a date, in seconds since the epoch.
    public func retryDelay(wallSeconds: Int64) -> Duration? {
        switch retryAfter {
        case .none: nil
        case .delay(let delay): delay
        case .time(let time): max(.zero, .seconds(time) - .seconds(answeredAt ?? wallSeconds))
        }
    }

    /// The reason where there is one, else the status: what a row or a log line calls this answer.
    public var summary: String { reason?.rawValue ?? "status \(status)" }
}
