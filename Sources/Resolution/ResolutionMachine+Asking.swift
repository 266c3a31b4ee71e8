/// What is asked, and what can come of it.
extension ResolutionMachine {
    /// A question on its way.
    public struct Ask: Equatable, Sendable {
        /// Which notice it is about.
        public let notice: Int64
        /// Who is asked.
        public let service: Service
        /// What.
        public let question: Question

        /// Whose mail it is, to find the account's connection by: as bytes, because to Swift names are equal that look
        /// alike.
        public var account: [UInt8] { Array(question.account.utf8) }

        var key: AccountOfService { AccountOfService(service: service, account: account) }
    }

    /// What is to be done.
    public enum Action: Equatable, Sendable {
        /// Ask this, on the account's connection or a new one.
        case ask(Ask)
        /// No notice waits for this any more: report it as late and go on, or close the connection on which it was
        /// asked and report it as failed.
        case abandon(Ask)
        /// The notice may go.
        case resolved(Resolution)
    }

    /// Why there is no answer.
    public enum Failure: Sendable {
        /// Nobody listens, or says anything at all, or what comes is nonsense or a goodbye before the login.
        case server
        /// The account's session broke, or hangs.
        case account
        /// The server lives, and has no such account for us.
        case refused
        /// The server lives, and doesn't take the secret by which we ask.
        case lockedOut
        /// The connection had served before, and was gone when it was used again.
        case stale
    }

    struct Waiting {
        let question: Question
        let account: [UInt8]
        let since: Duration
        var nextTry: Duration
        /// How often a server has said that the mail isn't there.
        var answers = 0
        var wasStale = false
    }

    struct Asked {
        let ask: Ask
        let since: Duration
        var isAbandoned = false
    }

    struct AccountOfService: Hashable {
        var service: Service
        var account: [UInt8]
    }
}
