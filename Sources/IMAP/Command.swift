/// All that is ever said to a server.
///
/// The master user can do anything to anybody's mail; this can only look. EXAMINE opens a folder read-only, and PEEK
/// marks nothing as read (RFC 3501 sections 6.3.2 and 6.4.5).
public enum Command: Sendable {
    /// Logs in to an account by mechanism PLAIN.
    case authenticate(account: String, MasterLogin)
    /// Asks where folders lie.
    case namespace
    /// Opens a folder, by its encoded name.
    case examine([UInt8])
    /// Looks for messages from a UID on.
    case search(Key, from: UInt32)
    /// Asks for the dates and Message-IDs of messages.
    case fetch([UInt32])
    /// Has the server look for new mail.
    case noop
    /// Says goodbye.
    case logout

    /// What a message is known by.
    public enum Key: Equatable, Sendable {
        /// Dovecot's own name for it: in a Maildir the base name of its file.
        case guid([UInt8])
        /// The Message-ID, or a part of it.
        case messageID([UInt8])
    }

    /// As much of the Message-ID fields as is asked for: the first one in any case, if it is one that counts.
    static let headerLength = 1024
}
