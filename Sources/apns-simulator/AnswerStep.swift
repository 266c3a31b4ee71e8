internal import Posix

/// One scripted answer.
struct AnswerStep: Equatable {
    /// Since when Apple pretends to know that a device token is gone.
    enum Timestamp: Equatable {
        case at(WallTime)
        /// Before (or, negative, after) the moment of the answer.
        case ago(Duration)
    }

    var status = 200
    /// Nil with 200, and for a status that Apple doesn't use.
    var reason: String?
    var timestamp: Timestamp?
    var retryAfterSeconds: Int?
    /// How long the answer is held back, with its stream open.
    var delay = Duration.zero

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
