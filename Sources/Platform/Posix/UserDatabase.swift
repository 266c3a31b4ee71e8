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
        var capacity = 1024
        while true {
            var account = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var strings = [CChar](repeating: 0, count: capacity)
            let code = getpwnam_r(name, &account, &strings, strings.count, &found)
            switch code {
            case 0: return found == nil ? nil : account.pw_uid
            case ERANGE where capacity < 1 << 20: capacity *= 4
            case EINTR: continue
            default:
                throw SystemCallError(call: "getpwnam_r", subject: "an account", errno: Errno(rawValue: code))
            }
        }
    }
}
