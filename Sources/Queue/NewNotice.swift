public import Posix

/// What the drain found in the spool: somebody's mail landed in a folder.
public struct NewNotice: Equatable, Sendable {
    /// The owner of the spool file; with `spoolName` the key that makes inserting twice harmless.
    public var ownerUID: UInt32
    /// The spool file's name: bytes, as names are.
    public var spoolName: [UInt8]
    /// Whose mail it is.
    public var user: String
    /// The folder in UTF-8 with the mail server's separator.
    public var folder: String
    /// The message's UID, or 0 where it isn't known exactly.
    public var uid: UInt32
    /// The folder's UIDVALIDITY where it is known.
    public var uidValidity: UInt32?
    /// What the UID probably is; never sent as if it were exact.
    public var uidHint: UInt32?
    /// The base name of the Maildir file.
    public var filed: String?
    /// The Message-ID, or empty.
    public var messageID: String
    /// When the mail landed.
    public var at: WallTime
    /// Why it is to ring nobody, so that it ends dropped as soon as it is in the queue; in what the queue gives, nil.
    public var quietBecause: DropReason?

    /// Puts a notice together.
    public init(
        ownerUID: UInt32, spoolName: [UInt8], user: String, folder: String, uid: UInt32,
        uidValidity: UInt32? = nil, uidHint: UInt32? = nil, filed: String? = nil, messageID: String,
        at: WallTime, quietBecause: DropReason? = nil
    ) {
        self.ownerUID = ownerUID
        self.spoolName = spoolName
        self.user = user
        self.folder = folder
        self.uid = uid
        self.uidValidity = uidValidity
        self.uidHint = uidHint
        self.filed = filed
        self.messageID = messageID
        self.at = at
        self.quietBecause = quietBecause
    }
}
