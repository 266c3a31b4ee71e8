public import Posix

/// What a notice is about.
///
/// A kind this version doesn't know keeps its name: another version may have written it.
public struct NoticeKind: RawRepresentable, Equatable, Hashable, Sendable {
    /// The name in the queue.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Mail has landed in a folder.
    public static let mail = NoticeKind(rawValue: "mail")
}

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

    /// Puts a notice together.
    public init(
        ownerUID: UInt32, spoolName: [UInt8], user: String, folder: String, uid: UInt32,
        uidValidity: UInt32? = nil, uidHint: UInt32? = nil, filed: String? = nil, messageID: String,
        at: WallTime
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
    }
}

/// A notice as it stands in the queue.
@dynamicMemberLookup
public struct Notice: Equatable, Sendable {
    /// Its id, never used again.
    public var id: Int64
    /// What it is about.
    public var kind: NoticeKind
    /// What the drain found.
    public var content: NewNotice

    /// Puts a notice together, for tests of what is decided about it.
    public init(id: Int64, kind: NoticeKind = .mail, content: NewNotice) {
        self.id = id
        self.kind = kind
        self.content = content
    }

    /// The fields of `content` read as the notice's own.
    public subscript<Field>(dynamicMember field: KeyPath<NewNotice, Field>) -> Field {
        content[keyPath: field]
    }
}
