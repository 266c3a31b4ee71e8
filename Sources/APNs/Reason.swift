/// Why Apple refused a request: the `reason` of an answer's body.
///
/// Source of names and statuses: Apple, Handling notification responses from APNs. Apple adds reasons without
/// notice, so an unknown one keeps its text and is judged by its status alone.
public struct Reason: RawRepresentable, Equatable, Hashable, Sendable {
    /// Apple's spelling.
    public let rawValue: String

    /// Wraps a reason as Apple spelled it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// 400: of another environment or app, or no token at all.
    public static let badDeviceToken = Reason(rawValue: "BadDeviceToken")
    /// 400: the topic is malformed.
    public static let badTopic = Reason(rawValue: "BadTopic")
    /// 400: the token is another app's.
    public static let deviceTokenNotForTopic = Reason(rawValue: "DeviceTokenNotForTopic")
    /// 400: the connection had been idle for too long.
    public static let idleTimeout = Reason(rawValue: "IdleTimeout")
    /// 400: no topic was given.
    public static let missingTopic = Reason(rawValue: "MissingTopic")
    /// 400: our key may not push to this topic.
    public static let topicDisallowed = Reason(rawValue: "TopicDisallowed")
    /// 403: the provider token is older than an hour.
    public static let expiredProviderToken = Reason(rawValue: "ExpiredProviderToken")
    /// 403: the provider token can't be verified.
    public static let invalidProviderToken = Reason(rawValue: "InvalidProviderToken")
    /// 403: the connection has been used with another key.
    public static let unrelatedKeyIDInToken = Reason(rawValue: "UnrelatedKeyIdInToken")
    /// 429: new provider tokens came too often.
    public static let tooManyProviderTokenUpdates = Reason(rawValue: "TooManyProviderTokenUpdates")
    /// 503: the server is going away.
    public static let shutdown = Reason(rawValue: "Shutdown")

    /// Every reason Apple documents, both spellings of the environment-key one among them.
    public static let documented: Set<String> = [
        "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
        "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken",
        "MissingTopic", "PayloadEmpty", "TopicDisallowed", "BadCertificate", "BadCertificateEnvironment",
        "BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken", "ExpiredProviderToken", "Forbidden",
        "InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken", "BadPath",
        "MethodNotAllowed", "ExpiredToken", "Unregistered", "PayloadTooLarge", "TooManyProviderTokenUpdates",
        "TooManyRequests", "InternalServerError", "ServiceUnavailable", "Shutdown",
    ]

    /// Those that only a 403 or a GOAWAY gives: about our key or certificate.
    static let ofCredentials: Set<Reason> = [
        Reason(rawValue: "BadCertificate"), Reason(rawValue: "BadCertificateEnvironment"),
        Reason(rawValue: "BadEnvironmentKeyInToken"), Reason(rawValue: "BadEnvironmentKeyIdInToken"),
        Reason(rawValue: "Forbidden"), .expiredProviderToken, .invalidProviderToken,
        Reason(rawValue: "MissingProviderToken"), .unrelatedKeyIDInToken,
    ]

    /// The reason as a metric's label: Apple's word when it is documented, else `other`.
    public static func label(_ text: String) -> String { documented.contains(text) ? text : "other" }
}
