internal import CLibc

/// Puts entries into a spool's `new/`: each appears there whole or not at all, and stays through a power cut.
///
/// An ordinary user may add to a directory of mode 3733 but can't open it, and so can't flush it. On ext4 and xfs the
/// second flush of the file itself carries its new name to the disk.
public struct SpoolPublisher: ~Copyable {
    /// Readable for the directory's group, the drain, whatever the writer's umask.
    private static let mode: mode_t = 0o640
    private let directory: CInt

    /// Finds `new/` below the spool's directory; relative paths hold from then on, wherever the process goes.
    ///
    /// - Parameter spool: the path, without a NUL.
    public init(spool: [UInt8]) throws(SpoolFailure) {
        let path = cString(spool + bytes("/new"))
        let descriptor = clibc_openat(AT_FDCWD, path, O_PATH | O_DIRECTORY, 0)
        guard descriptor != -1 else { throw SpoolFailure(.openDirectory, errno: clibc_errno()) }
        directory = descriptor
    }

    deinit { close(directory) }

    /// Publishes one entry, unless the file system is nearly full; when it returns, the wake is safe.
    ///
    /// After a failure nothing of the entry is left, with one exception that `SpoolFailure.Step` names.
    public func publish(_ entry: SpoolEntry) throws(SpoolFailure) {
        guard !SpoolRoom.isShort(at: directory) else { throw SpoolFailure(.findRoom, errno: ENOSPC) }
        try publish(entry.encode(), as: SpoolEntryName(at: entry.at, random: try Self.random()))
    }

    /// 64 bits of the kernel's generator, which makes nobody wait this way where it isn't seeded yet, early in a boot.
    private static func random() throws(SpoolFailure) -> UInt64 {
        var random: UInt64 = 0
        let size = MemoryLayout.size(ofValue: random)
        // A kernel before 5.6 has only the second.
        guard
            getrandom(&random, size, UInt32(GRND_INSECURE)) == size
                || getrandom(&random, size, UInt32(GRND_NONBLOCK)) == size
        else { throw SpoolFailure(.create, errno: clibc_errno()) }
        return random
    }

    private func publish(_ content: [UInt8], as name: SpoolEntryName) throws(SpoolFailure) {
        let file = clibc_openat(directory, ".", O_TMPFILE | O_WRONLY, Self.mode)
        guard file != -1 else {
            // The file system (EOPNOTSUPP) or an old kernel (EISDIR) has no nameless files.
            let errno = clibc_errno()
            guard errno == EOPNOTSUPP || errno == EISDIR else { throw SpoolFailure(.create, errno: errno) }
            return try publishUnderTemporaryName(content, as: name)
        }
        defer { close(file) }
        try fill(file, content)
        guard link(file, as: name) else {
            // No /proc (ENOENT) or none for us (EACCES), or a file system without hard links (EPERM, EOPNOTSUPP).
            let errno = clibc_errno()
            guard errno == ENOENT || errno == EACCES || errno == EPERM || errno == EOPNOTSUPP else {
                throw SpoolFailure(.link, errno: errno)
            }
            return try publishUnderTemporaryName(content, as: name)
        }
        try flushName(file)
    }

    private func publishUnderTemporaryName(_ content: [UInt8], as name: SpoolEntryName) throws(SpoolFailure) {
        let temporary = cString([SpoolTemporary.prefix] + name.bytes)
        let file = clibc_openat(directory, temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, Self.mode)
        guard file != -1 else { throw SpoolFailure(.create, errno: clibc_errno()) }
        defer { close(file) }
        do throws(SpoolFailure) {
            try fill(file, content)
            let target = cString(name.bytes)
            guard renameat2(directory, temporary, directory, target, UInt32(RENAME_NOREPLACE)) == 0 else {
                throw SpoolFailure(.link, errno: clibc_errno())
            }
        } catch {
            _ = unlinkat(directory, temporary, 0)
            throw error
        }
        try flushName(file)
    }

    /// Everything that must be on the disk before the entry gets its name.
    private func fill(_ file: CInt, _ content: [UInt8]) throws(SpoolFailure) {
        var rest = content[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SpoolFailure(.write, errno: clibc_errno()) }
            rest = rest.dropFirst(count)
        }
        guard fchmod(file, Self.mode) == 0 else { throw SpoolFailure(.setMode, errno: clibc_errno()) }
        guard fsync(file) == 0 else { throw SpoolFailure(.flush, errno: clibc_errno()) }
    }

    /// linkat(2) of a nameless file through /proc needs no privilege; it never replaces another file.
    private func link(_ file: CInt, as name: SpoolEntryName) -> Bool {
        let nameless = cString(bytes("/proc/self/fd/") + decimal(file))
        return linkat(AT_FDCWD, nameless, directory, cString(name.bytes), AT_SYMLINK_FOLLOW) == 0
    }

    /// Flushes the name that the entry has by now.
    ///
    /// **The instant this returns, the wake is safe**: content and name are on the disk.
    private func flushName(_ file: CInt) throws(SpoolFailure) {
        guard fsync(file) == 0 else { throw SpoolFailure(.flushName, errno: clibc_errno()) }
    }
}
