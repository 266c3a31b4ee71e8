/// Apple's `apns-collapse-id`: two pushes with the same one leave one entry on the screen.
///
/// `folder:uid` where that names one message for good: the uid is exact, the folder still has the UIDVALIDITY
/// first seen for it, the token serves one account only, and the text fits. Else a keyed hash of what does name
/// it: keyed, because Apple must not be able to test a guess of a Message-ID.
public enum CollapseID {
    /// Apple's limit, in bytes (Sending notification requests to APNs).
    public static let maximumBytes = 64

    /// What a mail's collapse id is made of.
    public struct Subject: Sendable {
        /// The account's name on the server.
        public var account: String
        /// The folder, the uid and the UIDVALIDITY as far as they are known.
        public var message: MessageReference
        /// Empty where the mail had none that could be used.
        public var messageID: String
        /// What the entry was called in the spool: never the same for two mails.
        public var spoolName: [UInt8]
        /// The UIDVALIDITY this account's folder had when it was first seen, nil when it never was.
        public var firstUIDValidity: UInt32?
        /// Whether the device token is registered for one account only.
        public var tokenServesOneAccount: Bool

        /// Gathers the parts.
        public init(
            account: String, message: MessageReference, messageID: String, spoolName: [UInt8],
            firstUIDValidity: UInt32?, tokenServesOneAccount: Bool
        ) {
            self.account = account
            self.message = message
            self.messageID = messageID
            self.spoolName = spoolName
            self.firstUIDValidity = firstUIDValidity
            self.tokenServesOneAccount = tokenServesOneAccount
        }
    }

    /// Chooses the id.
    ///
    /// - Parameters:
    ///   - subject: the mail.
    ///   - keyedHash: HMAC-SHA256 under the installation's secret.
    public static func text(for subject: Subject, keyedHash: ([UInt8]) -> [UInt8]) -> String {
        let message = subject.message
        let plain = "\(message.folder):\(message.uid)"
        let keptItsValidity =
            subject.firstUIDValidity == nil || message.uidValidity == subject.firstUIDValidity
        if message.uid != 0, keptItsValidity, subject.tokenServesOneAccount, plain.utf8.count <= maximumBytes,
            isHeaderText(plain)
        {
            return plain
        }
        return hexadecimalText(keyedHash(hashedParts(of: subject)).prefix(16))
    }

    /// Each part with its length before it, so that no two subjects give the same bytes.
    private static func hashedParts(of subject: Subject) -> [UInt8] {
        let identity: [UInt8] =
            // Without its UIDVALIDITY a uid may once have been another mail's.
            if subject.message.uid != 0, subject.message.uidValidity != nil {
                Array("uid \(subject.message.uid)".utf8)
            } else if !subject.messageID.isEmpty {
                Array("message-id \(subject.messageID)".utf8)
            } else {
                Array("entry ".utf8) + subject.spoolName
            }
        let parts = [
            Array(subject.account.utf8), Array(subject.message.folder.utf8),
            Array("\(subject.message.uidValidity ?? 0)".utf8), identity,
        ]
        return parts.flatMap { Array("\($0.count):".utf8) + $0 }
    }

    /// RFC 9110 section 5.5: a field value has visible characters, spaces inside, and bytes above 0x7F.
    private static func isHeaderText(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && text.utf8.first != 0x20
    }
}
