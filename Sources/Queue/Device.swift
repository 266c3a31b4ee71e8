public import Posix

/// What an operator or an app tells about a device.
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
    /// The folders that ring it: none is INBOX only, `*` is all.
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

/// A device as it stands in the queue, live or, once removed, as a tombstone.
@dynamicMemberLookup
public struct Device: Equatable, Sendable {
    /// Its id, never used again.
    public var id: Int64
    /// The id of the account it belongs to.
    ///
    public var account: Int64
    /// What was registered last.
    ///
    /// A tombstone keeps the first 4 bytes of the token, to know it by, and no more.
    public var registration: DeviceRegistration
    /// When it was first registered.
    public var createdAt: WallTime
    /// When it was last registered.
    public var registeredAt: WallTime
    /// When the service last took a push for it.
    public var lastSeenAt: WallTime?
    /// The reason of the last failure since it was last seen or registered.
    public var lastFailure: String?
    /// Since when its token is doubted.
    public var suspectSince: WallTime?
    /// When it became a tombstone.
    public var removedAt: WallTime?
    /// Why it became a tombstone.
    public var removedReason: String?

    /// Puts a device together, for tests of what is decided about it.
    public init(
        id: Int64, account: Int64, registration: DeviceRegistration, createdAt: WallTime,
        registeredAt: WallTime,
        lastSeenAt: WallTime? = nil, lastFailure: String? = nil, suspectSince: WallTime? = nil,
        removedAt: WallTime? = nil, removedReason: String? = nil
    ) {
        self.id = id
        self.account = account
        self.registration = registration
        self.createdAt = createdAt
        self.registeredAt = registeredAt
        self.lastSeenAt = lastSeenAt
        self.lastFailure = lastFailure
        self.suspectSince = suspectSince
        self.removedAt = removedAt
        self.removedReason = removedReason
    }

    /// The fields of the registration read as the device's own.
    public subscript<Field>(dynamicMember field: KeyPath<DeviceRegistration, Field>) -> Field {
        registration[keyPath: field]
    }
}
