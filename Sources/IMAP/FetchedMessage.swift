internal import Spool

/// What was asked of a message.
public struct FetchedMessage: Equatable, Sendable {
    /// Its UID; nil where the server tells of a message by itself.
    public var uid: UInt32?
    /// When it came, in seconds since the epoch.
    public var internalDate: Int64?
    /// Its header fields that were asked for, as they stand in it.
    public var header: [UInt8]?

    /// Puts a message together.
    public init(uid: UInt32? = nil, internalDate: Int64? = nil, header: [UInt8]? = nil) {
        self.uid = uid
        self.internalDate = internalDate
        self.header = header
    }

    /// The message's Message-ID, read from its header as the hook reads it from the mail, or nothing.
    ///
    /// So two that are compared are equal exactly when the mail is the same to both: a search matches parts, folds
    /// and comments are left out, and the first field counts.
    public var messageID: [UInt8] {
        var reader = MessageHeaderReader()
        reader.receive(header ?? [])
        return reader.messageID
    }
}
