public import Posix

/// What an answer tells about the device it came for.
public enum DeviceChange: Equatable, Sendable {
    /// The service took a push for it: no doubt and no failure is left.
    case seen
    /// The service blamed it.
    case failed(reason: String)
    /// Its token is doubted; a doubt that stands keeps its date.
    case suspected(reason: String)
    /// It is gone, unless it registered at or after `unlessRegisteredSince`: the guard is checked with the change.
    case reaped(reason: String, unlessRegisteredSince: WallTime? = nil)
}
