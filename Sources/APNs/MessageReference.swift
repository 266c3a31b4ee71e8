/// Where on the server the new mail lies: all that a wake says, and all that Apple may learn.
///
/// Its members are the whole whitelist: what isn't here can't reach a payload.
public struct MessageReference: Equatable, Sendable {
    /// The folder in UTF-8 with the server's separator.
    public var folder: String
    /// The message's IMAP UID, 0 when it isn't known: the phone then looks at the folder.
    public var uid: UInt32
    /// The folder's UIDVALIDITY (RFC 9051 section 2.3.1.1), where known.
    public var uidValidity: UInt32?
    /// The opaque name the app gave to this account when it registered, so that it can tell two apart.
    public var account: String?

    /// Names a message.
    public init(folder: String, uid: UInt32, uidValidity: UInt32? = nil, account: String? = nil) {
        self.folder = folder
        self.uid = uid
        self.uidValidity = uidValidity
        self.account = account
    }
}
