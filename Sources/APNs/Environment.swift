/// Which of Apple's two push services a device token belongs to.
public enum Environment: String, CaseIterable, Sendable {
    case production
    case sandbox

    /// The service's host (Apple: Sending notification requests to APNs).
    public var hostName: String {
        switch self {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        }
    }
}
