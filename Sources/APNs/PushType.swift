/// Apple's `apns-push-type`, of those a wake uses.
public enum PushType: String, Sendable {
    case alert
    case background

    /// Apple's `apns-priority`: 10 is now; a background push must have 5 (Pushing background updates to your app).
    public var priority: Int {
        switch self {
        case .alert: 10
        case .background: 5
        }
    }
}
