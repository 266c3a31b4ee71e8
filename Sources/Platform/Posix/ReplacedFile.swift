internal import Glibc

/// Replaces a file as a whole, so that a reader sees the old content or the new and nothing between.
public enum ReplacedFile {
    /// Writes `bytes` beside `path` and renames the result over it.
    ///
    /// - Parameters:
    ///   - path: the file; its directory must be writable. The temporary name is `path` with `.tmp` behind it.
    ///   - bytes: the whole content.
    ///   - mode: permission bits, whatever the umask.
    ///   - synchronizing: whether the content must survive a power cut (fsync before the rename).
    public static func write(_ bytes: [UInt8], to path: String, mode: UInt32, synchronizing: Bool = false)
        throws(SystemCallError)
    {
        let temporary = path + ".tmp"
        let file = try FileDescriptor.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
        do throws(SystemCallError) {
            try file.setMode(mode)
            try file.writeAll(bytes)
            if synchronizing { try file.synchronize() }
            _ = try systemCall("rename", "\(temporary) to \(path)") { rename(temporary, path) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
    }

    /// Reads such a file, and nothing else that may stand in its place: no link is followed, no FIFO waited for.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - count: how much of it is read at the most, in bytes.
    public static func read(_ path: String, upTo count: Int) throws(SystemCallError) -> [UInt8] {
        let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
        guard try file.status().st_mode & S_IFMT == S_IFREG else {
            throw SystemCallError(call: "open", subject: path, errno: .exists)
        }
        return try file.read(upTo: count)
    }
}
