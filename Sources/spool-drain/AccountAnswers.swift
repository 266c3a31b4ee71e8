internal import Posix

/// What the system has said about accounts in one pass over the spool, so that it is asked for each of them once:
/// strangers choose the names, and whoever is asked may be slow.
struct AccountAnswers {
    private let ask: (String) throws(SystemCallError) -> UInt32?
    /// By the name's bytes: texts that are equal to Swift may be different accounts.
    private var answers: [[UInt8]: Result<UInt32?, SystemCallError>] = [:]

    /// Knows nothing yet.
    ///
    /// - Parameter ask: gives an account's uid, nil when there is no such account.
    init(ask: @escaping (String) throws(SystemCallError) -> UInt32? = UserDatabase.uid(of:)) {
        self.ask = ask
    }

    /// The uid of an account, nil when there is no such account; a failure stays one until the next pass.
    mutating func uid(of user: String) throws(SystemCallError) -> UInt32? {
        let key = Array(user.utf8)
        if let answer = answers[key] { return try answer.get() }
        let ask = ask
        let answer = Result { () throws(SystemCallError) in try ask(user) }
        answers[key] = answer
        return try answer.get()
    }
}
