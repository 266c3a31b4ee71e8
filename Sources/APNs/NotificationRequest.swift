/// One request to APNs: a pure value from which every try of a delivery is built alike.
///
/// Source of all fields: Apple, Sending notification requests to APNs.
public struct NotificationRequest: Equatable, Sendable {
    /// A header field, and whether the next request is likely to carry the same value.
    public struct Header: Equatable, Sendable {
        /// The name in lower case, as HTTP/2 wants it (RFC 9113 section 8.2).
        public let name: String
        /// The value, without line breaks.
        public let value: String
        /// False for values of one request only: compression shall not fill its table with them.
        public let recurs: Bool
    }

    /// The device this goes to.
    public var token: DeviceToken
    /// The app's bundle id.
    public var topic: String
    /// Decides `apns-push-type` and `apns-priority`.
    public var pushType: PushType
    /// A UUID in its canonical form, lower case.
    public var id: String
    /// Seconds since the epoch until which Apple keeps trying.
    public var expiration: Int64
    /// At most 64 bytes; nil sends none.
    public var collapseID: String?
    /// The body.
    public var payload: NotificationPayload

    /// Puts a request together.
    public init(
        token: DeviceToken, topic: String, pushType: PushType, id: String, expiration: Int64,
        collapseID: String?, payload: NotificationPayload
    ) {
        self.token = token
        self.topic = topic
        self.pushType = pushType
        self.id = id
        self.expiration = expiration
        self.collapseID = collapseID
        self.payload = payload
    }

    /// The header fields in the order they are sent.
    ///
    /// - Parameters:
    ///   - authority: the host, and the port where it isn't 443.
    ///   - providerToken: the signed token, which Apple's servers see and no log does.
    public func headers(authority: String, providerToken: String) -> [Header] {
        var headers = [
            Header(name: ":method", value: "POST", recurs: true),
            Header(name: ":scheme", value: "https", recurs: true),
            Header(name: ":authority", value: authority, recurs: true),
            Header(name: ":path", value: "/3/device/\(token.hexadecimal)", recurs: false),
            Header(name: "authorization", value: "bearer \(providerToken)", recurs: true),
            Header(name: "apns-topic", value: topic, recurs: true),
            Header(name: "apns-push-type", value: pushType.rawValue, recurs: true),
            Header(name: "apns-priority", value: String(pushType.priority), recurs: true),
            Header(name: "apns-id", value: id, recurs: false),
            Header(name: "apns-expiration", value: String(expiration), recurs: false),
        ]
        if let collapseID {
            headers.append(Header(name: "apns-collapse-id", value: collapseID, recurs: false))
        }
        return headers
    }
}
