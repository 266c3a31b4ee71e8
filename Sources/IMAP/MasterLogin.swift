/// The user who may open every account's mail, and the password; never shown.
public struct MasterLogin: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    let user: String
    let password: [UInt8]

    /// Keeps a name and a password.
    public init(user: String, password: [UInt8]) {
        self.user = user
        self.password = password
    }

    /// Says that there is one.
    public var description: String { "a master login" }
    /// Says that there is one.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The message of mechanism PLAIN that logs in as `account` (RFC 4616 section 2).
    func message(for account: String) throws(IMAPFault) -> [UInt8] {
        let parts = [Array(account.utf8), Array(user.utf8), password]
        guard parts.allSatisfy({ !$0.isEmpty && !$0.contains(0) }) else { throw .unsayable }
        return Array(parts.joined(separator: [0]))
    }
}
