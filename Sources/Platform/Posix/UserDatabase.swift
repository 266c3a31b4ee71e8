internal import Glibc

/// The system's accounts, wherever they are kept (nsswitch.conf(5)).
public enum UserDatabase {
    /// The uid of an account; nil when there is no such account.
    ///
    /// The corresponding C function is `getpwnam_r`.
    ///
    /// - Throws: when the accounts couldn't be asked, which says nothing about this one. The name isn't in the error.
    ///   ENOENT and the like, which some systems give for "no such account", are glibc's for a source that isn't there.
    public static func uid(of name: String) throws(SystemCallError) -> UInt32? {
        try account("getpwnam_r", { getpwnam_r(name, $0, $1, $2, $3) }, read: { $0.pw_uid })
    }

    /// The name of the first account with this uid; nil when there is none.
    ///
    /// The corresponding C function is `getpwuid_r`; throws as the other one.
    public static func name(of uid: UInt32) throws(SystemCallError) -> String? {
        try account("getpwuid_r", { getpwuid_r(uid, $0, $1, $2, $3) }, read: { String(cString: $0.pw_name) })
    }

    private typealias Account = UnsafeMutablePointer<passwd>

    /// Asks with as much room as the answer takes, and reads from it while it is there.
    private static func account<Answer>(
        _ call: String,
        _ ask: (Account, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<Account?>) -> CInt,
        read: (passwd) -> Answer
    ) throws(SystemCallError) -> Answer? {
        var capacity = 1024
        while true {
            var account = passwd()
            var found: Account?
            let strings = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
            defer { strings.deallocate() }
            let code = ask(&account, strings, capacity, &found)
            switch code {
            case 0: return found == nil ? nil : read(account)
            case ERANGE where capacity < 1 << 20: capacity *= 4
            case EINTR: continue
            default:
                throw SystemCallError(call: call, subject: "an account", errno: Errno(rawValue: code))
            }
        }
    }
}
