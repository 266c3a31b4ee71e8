public import IMAP

/// How a question ended without an answer, when nothing was said that could tell why.
public enum Ending: CaseIterable, Sendable {
    /// No connection came about.
    case unreachable
    /// The connection was closed by the other side.
    case closed
    /// Nothing came for too long.
    case silent
}

extension MailboxDialogue {
    /// Whom an ending speaks against.
    ///
    /// A server that has greeted lives; then it is the account's session. One that had answered before may have been
    /// restarted since, or the folder made anew, for which Dovecot says BYE.
    public func failure(_ ending: Ending) -> ResolutionMachine.Failure {
        switch ending {
        case .unreachable: .server
        case .silent: hasGreeted ? .account : .server
        // So Dovecot ends a login to an account that it doesn't find, or whose mail it can't open (2.3).
        case .closed where isLoggingIn: .refused
        case .closed: hasAnswered ? .stale : hasGreeted ? .account : .server
        }
    }

    /// Whom a fault speaks against.
    public func failure(_ fault: IMAPFault) -> ResolutionMachine.Failure {
        switch fault {
        case .refused, .unsayable: hasGreeted ? .refused : .server
        case .lockedOut: .lockedOut
        case .oversized, .malformed, .unexpected, .bye, .renumbered: failure(.closed)
        }
    }
}

extension DoveadmDialogue {
    /// Whom an ending speaks against; of a server that says nothing it isn't known whether the account is why.
    public static func failure(_ ending: Ending) -> ResolutionMachine.Failure {
        switch ending {
        case .unreachable: .server
        case .closed, .silent: .account
        }
    }

    /// Whom a fault speaks against.
    public static func failure(_ fault: Fault) -> ResolutionMachine.Failure {
        switch fault {
        case .malformed: .server
        case .lockedOut: .lockedOut
        case .refused: .refused
        case .failed: .account
        }
    }
}
