public import Posix

/// What an answer tells about the device it came for.
///
/// Blame falls on the registration it was earned by: one made at or after `unlessRegisteredSince` is left alone. The
/// guard is checked with the change; see `Settled.deviceKept`.
///
/// `under` names the way a request went: by what key, to which environment, for which topic. What Apple says by one
/// way proves nothing about another.
public enum DeviceChange: Equatable, Sendable {
    /// The service took a push for it: no doubt, failure, strike or throttle is left.
    ///
    /// It also shows that the way works, so that the other devices doubted under it until then are gone indeed.
    case seen(under: String)
    /// The service blamed it.
    case failed(reason: String, unlessRegisteredSince: WallTime)
    /// Its token is doubted; a doubt that stands keeps its date.
    case suspected(reason: String, under: String, unlessRegisteredSince: WallTime)
    /// The way itself is at fault: no device is doubted under it any more.
    case cleared(under: String)
    /// Its token is another app's; the third such answer in a row disables it until it registers again.
    ///
    /// Answers to what was under way together count as one.
    case struck(reason: String, unlessRegisteredSince: WallTime)
    /// The service wants nothing for it until a time.
    case throttled(until: WallTime, reason: String)
    /// It is gone.
    case reaped(reason: String, unlessRegisteredSince: WallTime)

    /// The time from which on a registration escapes the blame; nil without blame.
    var unlessRegisteredSince: WallTime? {
        switch self {
        case .seen, .cleared, .throttled: nil
        case .failed(_, let time), .suspected(_, _, let time), .struck(_, let time), .reaped(_, let time):
            time
        }
    }
}
