public import Glibc

/// Replaces a file as a whole, so that a reader sees the old content or the new and nothing between.
public enum ReplacedFile {
    /// Writes `bytes` beside `path` and renames the result over it.
    ///
    /// - Parameters:
    ///   - path: the file; its directory must be writable. The temporary name is `path` with `.tmp` behind it.
    ///   - bytes: the whole content.
    ///   - mode: permission bits, whatever the umask.
    ///   - synchronizing: whether the content must survive a power cut (fsync before the rename).
    public static func write(_ bytes: [UInt8], to path: String, mode: mode_t, synchronizing: Bool = false)
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
}
