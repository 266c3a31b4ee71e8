/// What an operator or an app tells about a device: all of it, each time.
public struct DeviceRegistration: Equatable, Sendable {
    /// Whose mail rings it.
    public var user: String
    /// The service that reaches it; `apns` now.
    public var channel: String
    /// The device token, raw.
    public var token: [UInt8]
    /// The app's topic (its bundle identifier).
    public var topic: String
    /// `production` or `sandbox`.
    public var environment: String
    /// `ios` or `macos`.
    public var platform: String
    /// What the operator calls it.
    public var label: String
    /// The version of the app.
    public var appVersion: String?
    /// The language of the device.
    public var locale: String?
    /// What the app calls the account; comes back to it in the payload.
    public var accountReference: String?
    /// The folders that ring it, none being INBOX only and an asterisk all.
    ///
    /// No name holds a line feed.
    public var enabledFolders: [String]

    /// Puts a registration together.
    public init(
        user: String, channel: String = "apns", token: [UInt8], topic: String, environment: String,
        platform: String = "ios", label: String = "", appVersion: String? = nil, locale: String? = nil,
        accountReference: String? = nil, enabledFolders: [String] = []
    ) {
        self.user = user
        self.channel = channel
        self.token = token
        self.topic = topic
        self.environment = environment
        self.platform = platform
        self.label = label
        self.appVersion = appVersion
        self.locale = locale
        self.accountReference = accountReference
        self.enabledFolders = enabledFolders
    }
}
