/// What a server said that can't be gone on from; none of its own words are kept, which may be a stranger's.
public enum IMAPFault: String, Error, CaseIterable, Sendable, CustomStringConvertible {
    /// A response longer than any that was asked for.
    case oversized
    /// Not a response (RFC 3501 section 7).
    case malformed
    /// A response that nothing was asked for.
    case unexpected
    /// The server says goodbye.
    case bye
    /// The server doesn't take the master user's name and password.
    case lockedOut
    /// The server doesn't let the master user in to this account.
    case refused
    /// The folder was made anew while it was looked at.
    case renumbered
    /// A text that no command may carry.
    case unsayable

    /// One line for a log.
    public var description: String {
        switch self {
        case .oversized: "IMAP: a response is too long"
        case .malformed: "IMAP: a response can't be understood"
        case .unexpected: "IMAP: a response to nothing that was asked"
        case .bye: "IMAP: the server said BYE"
        case .lockedOut: "IMAP: the master user's name or password is refused"
        case .refused: "IMAP: the master user may not log in to this account"
        case .renumbered: "IMAP: the folder was made anew meanwhile"
        case .unsayable: "IMAP: a name holds a character that no command may carry"
        }
    }
}
