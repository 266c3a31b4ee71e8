internal import CLibc

/// A `dovecot-uidlist` on the disk.
enum UIDListFile {
    /// Why a file gave no hint.
    struct Fault: Error {
        let text: [UInt8]
    }

    /// The folder's next UID, or nil where there is no such file yet.
    ///
    /// The file may be any path that a user can name: nothing here follows a link, waits for a FIFO or reads far.
    static func nextUID(_ path: [UInt8]) throws(Fault) -> UInt32? {
        let file = clibc_openat(AT_FDCWD, cString(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
        guard file != -1 else {
            let errno = clibc_errno()
            if errno == ENOENT { return nil }
            throw Fault(text: Complaint.cause(errno))
        }
        defer { close(file) }
        let start = [UInt8](unsafeUninitializedCapacity: UIDList.readLimit) { buffer, count in
            count = max(0, read(file, buffer.baseAddress, UIDList.readLimit))
        }
        guard let uid = UIDList.nextUID(start) else { throw Fault(text: bytes("no version 3 first line")) }
        return uid
    }
}
