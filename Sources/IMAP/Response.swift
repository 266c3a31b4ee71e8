/// One response of the server (RFC 3501 section 7): what there is use for, and nothing else of it.
public enum Response: Equatable, Sendable {
    /// `+`: the rest of the command may come.
    case goOn
    /// The end of a command, by its tag.
    case tagged([UInt8], Status)
    /// An untagged OK, NO, BAD, PREAUTH or BYE.
    case status(Status)
    /// What the server can do.
    case capability(Capabilities)
    /// The account's own namespaces.
    case namespace([Namespace])
    /// Messages that were found, by UID.
    case search([UInt32])
    /// A message.
    case fetch(FetchedMessage)
    /// Anything else; a server may say much that nobody asked for (section 2.2.2).
    case other

    /// How a command ended, or what the server says of itself, without its text for people.
    public struct Status: Equatable, Sendable {
        /// The kinds of status.
        public enum Kind: String, Sendable {
            case ok = "OK"
            case no = "NO"
            case bad = "BAD"
            case preauthenticated = "PREAUTH"
            case bye = "BYE"
        }

        /// The kind.
        public var kind: Kind
        /// What stands in brackets behind it.
        public var code: Code?

        /// Puts a status together.
        public init(_ kind: Kind, _ code: Code? = nil) {
            self.kind = kind
            self.code = code
        }
    }

    /// What a status says to programs (section 7.1), as far as there is use for it.
    public enum Code: Equatable, Sendable {
        case uidValidity(UInt32)
        case uidNext(UInt32)
        case capability(Capabilities)
        /// Who asks to be let in isn't known, or the password is wrong (RFC 5530 section 3).
        case authenticationFailed
    }
}
