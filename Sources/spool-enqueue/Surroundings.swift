internal import CLibc

/// What a process gets from whoever starts it, made harmless.
enum Surroundings {
    private static let lastWords: StaticString = "spool-enqueue: time is up; this mail may not ring\n"

    /// Puts signals, the alarm and descriptors in order; standard error stays what it is.
    ///
    /// Mail programs start their children with signals blocked or ignored, with descriptors missing and with their own
    /// locks open. A descriptor of 0 to 2 left free would be taken by the next file opened, and a complaint would be
    /// written into that.
    static func settle(alarmStatus: ExitCode) {
        clibc_reset_signals()
        clibc_set_last_words(UnsafeRawPointer(lastWords.utf8Start).assumingMemoryBound(to: CChar.self))
        clibc_end_after(SpoolTemporary.writerLifetime, alarmStatus.rawValue)
        for standard in STDIN_FILENO...STDERR_FILENO where FileStatus(descriptor: standard) == nil {
            openNull(as: standard)
        }
        openNull(as: STDOUT_FILENO)
        // A kernel before 5.9 doesn't have it; inherited descriptors then stay open, unused.
        _ = close_range(UInt32(STDERR_FILENO) + 1, .max, 0)
    }

    /// Lets go of a standard error whose end somebody may be waiting for, as Postfix waits for its pipe's.
    ///
    /// A log file and a terminal are kept. Returns whether it was let go.
    static func letGoOfStandardError() -> Bool {
        let isFile = FileStatus(descriptor: STDERR_FILENO)?.isRegular == true
        if isFile || isatty(STDERR_FILENO) == 1 { return false }
        openNull(as: STDERR_FILENO)
        return true
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
