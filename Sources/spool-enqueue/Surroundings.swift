internal import CLibc

/// What a process gets from whoever starts it, made harmless.
enum Surroundings {
    private static let lastWords: StaticString = "spool-enqueue: time is up; this mail may not ring\n"

    /// Puts signals, timers, limits and descriptors in order.
    ///
    /// Mail programs start their children with signals blocked or ignored, with descriptors missing and with their own
    /// locks open. A descriptor of 0 to 2 left free would be taken by the next file opened, and a complaint would be
    /// written into that. Somebody may wait for the end of a standard error that is neither a file nor a terminal, as
    /// Postfix does for its pipe's: it is let go.
    static func settle(alarmStatus: ExitCode) {
        clibc_settle(
            SpoolTemporary.writerLifetime, alarmStatus.rawValue,
            UnsafeRawPointer(lastWords.utf8Start).assumingMemoryBound(to: CChar.self))
        if FileStatus(descriptor: STDIN_FILENO) == nil { openNull(as: STDIN_FILENO) }
        openNull(as: STDOUT_FILENO)
        if !clibc_standard_error_is_log() { openNull(as: STDERR_FILENO) }
        // A kernel before 5.9 doesn't have it; inherited descriptors then stay open, unused.
        _ = close_range(UInt32(STDERR_FILENO) + 1, .max, 0)
    }

    /// Leaves the caller's directory, so that a slow disk of ours doesn't keep its file system busy, and its umask.
    static func leave() {
        _ = chdir(cString([UInt8(ascii: "/")]))
        _ = umask(0o027)
    }

    private static func openNull(as descriptor: CInt) {
        let null = clibc_openat(AT_FDCWD, cString(bytes("/dev/null")), O_RDWR, 0)
        guard null != descriptor else { return }
        guard null != -1 else {
            _ = close(descriptor)
            return
        }
        _ = dup2(null, descriptor)
        _ = close(null)
    }
}
