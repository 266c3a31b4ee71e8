internal import CPosix
internal import Glibc

/// Who a process acts as.
public enum ProcessIdentity {
    /// Makes a process go on with the least it can do its work with, for good.
    ///
    /// Started by root it becomes the owner and group of a directory, with the groups of the owner's account, so that
    /// files it makes belong to the service that needs them; where the directory is root's own it stays root.
    /// Whoever isn't root loses all capabilities, which may have come with the program's file or from a supervisor.
    /// No program that it starts gets privileges from its file.
    ///
    /// Call it while the process has one thread: capabilities and the last rule are a thread's.
    public static func becomeOwner(ofDirectory path: String) throws(SystemCallError) {
        if geteuid() == 0 {
            var directory = stat()
            _ = try systemCall("stat", path) { stat(path, &directory) }
            if directory.st_uid != 0 { try become(directory.st_uid, directory.st_gid, path) }
        }
        if geteuid() != 0 {
            _ = try systemCall("capset", "this process") { cposix_drop_capabilities() }
        }
        try giveUpNewPrivileges()
    }

    /// Does something as the owner of a directory, with the groups as they are; only root can become him, and is root
    /// again afterwards.
    public static func asOwner<Result>(
        ofDirectory path: String, _ body: () throws(SystemCallError) -> Result
    ) throws(SystemCallError) -> Result {
        guard geteuid() == 0 else { return try body() }
        var directory = stat()
        _ = try systemCall("stat", path) { stat(path, &directory) }
        _ = try systemCall("seteuid", path) { seteuid(directory.st_uid) }
        defer { seteuid(0) }
        return try body()
    }

    /// The line by which a process that stays root says so, as `path` is root's; nil for anybody else.
    ///
    /// - Parameter cure: the command by which the path becomes a service's.
    public static func rootWarning(becauseOf path: String, cure: String) -> String? {
        guard geteuid() == 0 else { return nil }
        return "runs as root, to whom \(path) belongs, and needs no root; as root: \(cure)"
    }

    private static func become(_ user: uid_t, _ group: gid_t, _ path: String) throws(SystemCallError) {
        let name = try UserDatabase.name(of: user)
        // The order matters: once the user is changed, the groups can't be.
        if let name {
            _ = try systemCall("initgroups", path) { initgroups(name, group) }
        } else {
            _ = try systemCall("setgroups", path) { setgroups(0, nil) }
        }
        _ = try systemCall("setgid", path) { setgid(group) }
        _ = try systemCall("setuid", path) { setuid(user) }
    }

    /// From now on set-user-id bits and capabilities of files count for nothing.
    static func giveUpNewPrivileges() throws(SystemCallError) {
        _ = try systemCall("prctl", "PR_SET_NO_NEW_PRIVS") { cposix_no_new_privileges() }
    }
}
