#if !hasFeature(Embedded)
internal import JSON
#endif

/// One mail that arrived: what the file of a spool entry says, version 1.
///
/// Texts are bytes, because the program that writes entries is Embedded Swift and compares no `String`. This type
/// doesn't check itself: whoever fills it in asks `isUser`, `isFolder` and the like first, as the decoder does.
public struct SpoolEntry: Equatable, Sendable {
    /// The account's name, as `isUser` allows it.
    public var user: [UInt8]
    /// The folder's name with the server's separator, as `isFolder` allows it.
    public var folder: [UInt8]
    /// The mail's UID where the writer knows it exactly, else 0: never a guess.
    public var uid: UInt32
    /// The Message-ID as `isMessageID` allows it, or nothing.
    public var messageID: [UInt8]
    /// When the entry was made, in milliseconds since the epoch: 0 to `latestTime`.
    public var at: Int64
    /// A guess at the UID, such as the folder's next one.
    public var uidHint: UInt32?
    /// The folder's UIDVALIDITY where known.
    public var uidValidity: UInt32?
    /// The base name of the mail's file in a Maildir, as `isFiled` allows it.
    public var filed: [UInt8]?
    /// What the mail's header says it is.
    public var marks: MailMarks
    /// Whom the mail was sent to, as `isRecipient` allows it, or nothing.
    public var recipient: [UInt8]

    /// Makes an entry of parts that were checked.
    public init(
        user: [UInt8], folder: [UInt8], uid: UInt32 = 0, messageID: [UInt8] = [], at: Int64,
        uidHint: UInt32? = nil, uidValidity: UInt32? = nil, filed: [UInt8]? = nil, marks: MailMarks = [],
        recipient: [UInt8] = []
    ) {
        self.user = user
        self.folder = folder
        self.uid = uid
        self.messageID = messageID
        self.at = at
        self.uidHint = uidHint
        self.uidValidity = uidValidity
        self.filed = filed
        self.marks = marks
        self.recipient = recipient
    }

    /// The whole content of the entry's file: one JSON object in the contract's order of keys, and a newline.
    ///
    /// Parts within their bounds always fit `maximumSize`, however many of their bytes need an escape, so nothing
    /// is ever cut or left out to make an entry fit.
    public func encode() -> [UInt8] {
        var text = JSONText()
        text.beginObject()
        text.key("v")
        text.integer(Self.version)
        text.key("user")
        text.string(user)
        text.key("folder")
        text.string(folder)
        text.key("uid")
        text.integer(Int64(uid))
        text.key("msg_id")
        text.string(messageID)
        text.key("at")
        text.integer(at)
        if let uidHint {
            text.key("uid_hint")
            text.integer(Int64(uidHint))
        }
        if let uidValidity {
            text.key("uid_validity")
            text.integer(Int64(uidValidity))
        }
        if let filed {
            text.key("filed")
            text.string(filed)
        }
        if !marks.isEmpty {
            text.key("marks")
            text.string(marks.text)
        }
        if !recipient.isEmpty {
            text.key("recipient")
            text.string(recipient)
        }
        text.endObject()
        return text.bytes + [UInt8(ascii: "\n")]
    }
}
