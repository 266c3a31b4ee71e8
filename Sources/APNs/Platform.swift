/// The kind of device a wake goes to; it decides how the wake looks to Apple.
public enum Platform: String, CaseIterable, Sendable {
    case ios
    case macos

    /// An alert starts a phone's notification service extension; a Mac's app is woken in the background.
    public var pushType: PushType {
        switch self {
        case .ios: .alert
        case .macos: .background
        }
    }
}
