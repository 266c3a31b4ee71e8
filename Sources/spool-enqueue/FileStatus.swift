internal import CLibc

/// What stat(2) and fstat(2) tell of a file.
struct FileStatus {
    private var status = stat()

    /// Looks a path up, following symbolic links; nil when nothing can be found there.
    init?(_ path: [UInt8]) {
        guard stat(cString(path), &status) == 0 else { return nil }
    }

    /// Asks about an open file; nil when the descriptor is free.
    init?(descriptor: CInt) {
        guard fstat(descriptor, &status) == 0 else { return nil }
    }

    var isRegular: Bool { status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) }

    /// Whether both are one file, by whatever paths.
    func isSame(as other: FileStatus) -> Bool {
        status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
    }
}
