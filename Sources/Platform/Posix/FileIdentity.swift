public import Glibc

/// Tells one file or directory from another at the same path, for as long as both are there or it is held open.
public struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Reads it from what fstat(2) tells.
    public init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

    /// What stands at a path now, symbolic links followed; nil when that can't be told.
    public init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
