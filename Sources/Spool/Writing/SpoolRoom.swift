internal import CLibc

/// What the hook leaves of a file system to others.
///
/// Mail is often filed on the same one, and comes first: a wake that isn't rung does less harm than a mail that isn't
/// filed.
enum SpoolRoom {
    /// What must be left, in entries of a block and an inode each: 10 MiB, and as many inodes.
    ///
    /// Entries can use up either, and small ones use up inodes first. On small file systems a hundredth is enough.
    static let reserve: UInt = 2560

    /// Whether the file system that `descriptor` is on is nearly full for ordinary users; unknown is no.
    static func isShort(at descriptor: CInt) -> Bool {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0, status.f_frsize > 0 else { return false }
        let reservedBlocks = reserve * UInt(SpoolEntry.maximumSize) / UInt(status.f_frsize)
        return isShort(free: UInt(status.f_bavail), of: UInt(status.f_blocks), reserve: reservedBlocks)
            || isShort(free: UInt(status.f_favail), of: UInt(status.f_files), reserve: reserve)
    }

    /// Whether less than the reserve is free; a file system that doesn't tell its size (0) is never short.
    static func isShort(free: UInt, of total: UInt, reserve: UInt) -> Bool {
        free < min(total / 100, reserve)
    }
}
