/// One scripted answer.
struct AnswerStep: Equatable {
    /// What is said about the next try.
    enum RetryAfter: Equatable {
        case seconds(Int64)
        /// Told as a date (RFC 9110 section 10.2.3).
        case at(ScriptedTime)
    }

    /// The form of the body.
    enum Body: String {
        /// Apple's: the reason in JSON, none where there is no reason.
        case json
        /// The same, one byte to a frame.
        case split
        case none
        /// A page such as proxies write.
        case html
    }

    var status = 200
    /// Nil with 200, and for a status that Apple doesn't use.
    var reason: String?
    /// Since when Apple pretends to know that a device token is gone.
    var timestamp: ScriptedTime?
    var retryAfter: RetryAfter?
    /// What the `date` field says.
    var date = ScriptedTime.fromNow(.zero)
    var body = Body.json
    /// How long the answer is held back, with its stream open.
    var delay = Duration.zero

    /// Whether the client's provider token, rather than anything else, is said to be the reason.
    var blamesProviderToken: Bool { reason == "ExpiredProviderToken" || reason == "InvalidProviderToken" }

    /// The reason that a status is most often for, where a script names none.
    static func usualReason(_ status: Int) -> String? {
        switch status {
        case 400: "BadDeviceToken"
        case 403: "InvalidProviderToken"
        case 404: "BadPath"
        case 405: "MethodNotAllowed"
        case 410: "Unregistered"
        case 413: "PayloadTooLarge"
        case 429: "TooManyRequests"
        case 500: "InternalServerError"
        case 503: "ServiceUnavailable"
        default: nil
        }
    }
}
