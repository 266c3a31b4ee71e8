internal import Glibc

/// Who a process acts as.
public enum ProcessIdentity {
    /// Makes a process that runs as root go on as the owner and group of a directory, for good.
    ///
    /// Does nothing for anybody else, nor where the directory is root's own. So files made by a program that an
    /// administrator starts belong to the service that needs them.
    public static func becomeOwner(ofDirectory path: String) throws(SystemCallError) {
        guard geteuid() == 0 else { return }
        var directory = stat()
        _ = try systemCall("stat", path) { stat(path, &directory) }
        guard directory.st_uid != 0 else { return }
        // The order matters: once the user is changed, the groups can't be.
        _ = try systemCall("setgroups", path) { setgroups(0, nil) }
        _ = try systemCall("setgid", path) { setgid(directory.st_gid) }
        _ = try systemCall("setuid", path) { setuid(directory.st_uid) }
    }
}
