public import Posix

/// What an answer tells about the device it came for.
///
/// Blame falls on the registration it was earned by: one made at or after `unlessRegisteredSince` is left alone. The
/// guard is checked with the change; see `Settled.deviceKept`.
public enum DeviceChange: Equatable, Sendable {
    /// The service took a push for it: no doubt and no failure is left.
    case seen
    /// The service blamed it.
    case failed(reason: String, unlessRegisteredSince: WallTime)
    /// Its token is doubted; a doubt that stands keeps its date.
    case suspected(reason: String, unlessRegisteredSince: WallTime)
    /// It is gone.
    case reaped(reason: String, unlessRegisteredSince: WallTime)

    /// The time from which on a registration escapes the blame; nil without blame.
    var unlessRegisteredSince: WallTime? {
        switch self {
        case .seen: nil
        case .failed(_, let time), .suspected(_, let time), .reaped(_, let time): time
        }
    }
}
