/// How a wake ended.
public enum End: String, CaseIterable, Sendable {
    /// The service took it.
    case sent
    /// The service refused it for good.
    case failed
    /// It outlived its expiration.
    case expired
    /// Nobody wanted it any more.
    case dropped
}
