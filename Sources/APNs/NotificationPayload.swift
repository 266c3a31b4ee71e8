internal import JSON

/// The body of a wake, byte for byte the same over all tries of a delivery.
public struct NotificationPayload: Equatable, Sendable {
    /// The largest payload Apple takes for an ordinary push (Generating a remote notification).
    public static let maximumBytes = 4096

    /// UTF-8 JSON without white space.
    public let bytes: [UInt8]

    /// Builds the payload of a wake; nothing but the reference varies.
    public init(pushType: PushType, message: MessageReference) {
        var text = JSONText()
        text.beginObject()
        text.key("aps")
        text.beginObject()
        switch pushType {
        case .alert:
            text.key("alert")
            text.string("New mail".utf8)
            // Starts the app's notification service extension, which fetches what the alert then says.
            text.key("mutable-content")
            text.integer(1)
            text.key("category")
            text.string("MAIL_MESSAGE".utf8)
            text.key("sound")
            text.string("default".utf8)
        case .background:
            text.key("content-available")
            text.integer(1)
        }
        text.endObject()
        text.key("msgRef")
        text.beginObject()
        text.key("folder")
        text.string(message.folder.utf8)
        text.key("uid")
        text.integer(Int64(message.uid))
        if let uidValidity = message.uidValidity {
            text.key("uidValidity")
            text.integer(Int64(uidValidity))
        }
        if let account = message.account {
            text.key("account")
            text.string(account.utf8)
        }
        text.endObject()
        text.endObject()
        bytes = text.bytes
    }
}
