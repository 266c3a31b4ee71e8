internal import Spool

/// Which mail a notice tells of, as far as a server can be asked for it.
public struct Question: Equatable, Sendable {
    /// Whose mail it is.
    public var account: String
    /// The folder as the notice names it.
    public var folder: String
    /// Dovecot's name for the mail: the base name of its file in a Maildir.
    public var guid: [UInt8]?
    /// The Message-ID, or nothing.
    public var messageID: [UInt8]
    /// The UID, where it is known for certain: then only of which mailbox it is remains to be asked.
    public var uid: UInt32?
    /// What the UID probably is.
    public var uidHint: UInt32?
    /// The folder's UIDVALIDITY as the notice has it.
    public var uidValidity: UInt32?
    /// When the mail landed, in seconds since the epoch.
    public var landedAt: Int64

    /// Asks for a mail.
    ///
    /// - Parameter filed: the base name of the mail's file. One that holds more than visible ASCII isn't asked for: no
    ///   delivery makes such a name.
    public init(
        account: String, folder: String, filed: String? = nil, messageID: String = "", uidHint: UInt32? = nil,
        uidValidity: UInt32? = nil, landedAt: Int64
    ) {
        self.account = account
        self.folder = folder
        guid = filed.map { Array($0.utf8.prefix { $0 != UInt8(ascii: ":") }) }.flatMap {
            Self.isGUID($0) ? $0 : nil
        }
        let id = Array(messageID.utf8)
        self.messageID = SpoolEntry.isMessageID(id) ? id : []
        self.uidHint = uidHint == 0 ? nil : uidHint
        self.uidValidity = uidValidity
        self.landedAt = landedAt
    }

    /// Whether there is anything that a server could be asked for.
    public var isAskable: Bool { uid != nil || guid != nil || !messageID.isEmpty || uidHint != nil }

    /// Whether this server could be asked for it.
    ///
    /// Doveadm isn't asked whether a guess is right, and takes an account with `*` or `?` for a pattern: the answer would
    /// be about other accounts.
    func isAskable(of service: Service) -> Bool {
        switch service {
        case .imap: isAskable
        case .doveadm:
            (uid != nil || guid != nil || !messageID.isEmpty)
                && !account.utf8.contains { "*?".utf8.contains($0) }
        }
    }

    private static func isGUID(_ name: [UInt8]) -> Bool {
        SpoolEntry.isFiled(name) && name.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
