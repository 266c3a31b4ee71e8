/// Who took a wake that is sent: the reason of that end.
public enum Acceptance: String, CaseIterable, Sendable {
    /// The service itself.
    case byService = "accepted"
    /// A server that was put in its place.
    case byStandIn = "accepted by a stand-in"
}
