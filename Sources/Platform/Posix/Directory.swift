internal import CPosix
public import Glibc

/// An open directory, and calls relative to it, so that nobody can change what a path means in between.
///
/// Names are bytes: what others may have written need not be text.
public struct Directory: ~Copyable {
    private let descriptor: FileDescriptor
    private let path: String

    /// Opens a directory; a symbolic link at the end of `path` isn't followed.
    public init(path: String) throws(SystemCallError) {
        descriptor = try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        self.path = path
    }

    /// Gives what fstat(2) tells of the directory itself.
    public func status() throws(SystemCallError) -> stat { try descriptor.status() }

    /// Gives what fstatat(2) tells of a name, not following a symbolic link.
    public func status(of name: [UInt8]) throws(SystemCallError) -> stat {
        var status = stat()
        _ = try call("fstatat", name) { fstatat($0, $1, &status, AT_SYMLINK_NOFOLLOW) }
        return status
    }

    /// Opens a file, always close-on-exec and never through a symbolic link.
    ///
    /// The corresponding C function is `openat`; EINTR is retried.
    public func open(_ name: [UInt8], _ flags: CInt, mode: UInt32 = 0) throws(SystemCallError)
        -> FileDescriptor
    {
        FileDescriptor(
            owning: try call("openat", name) { openat($0, $1, flags | O_CLOEXEC | O_NOFOLLOW, mode) },
            named: subject(name))
    }

    /// Removes a name that isn't a directory's.
    public func unlink(_ name: [UInt8]) throws(SystemCallError) {
        _ = try call("unlinkat", name) { unlinkat($0, $1, 0) }
    }

    /// Removes an empty directory.
    public func removeDirectory(_ name: [UInt8]) throws(SystemCallError) {
        _ = try call("unlinkat", name) { unlinkat($0, $1, AT_REMOVEDIR) }
    }

    /// Moves a file to another directory of the same file system; EEXIST where the new name is taken.
    ///
    /// The corresponding C function is `renameat2` with RENAME_NOREPLACE.
    public func move(_ name: [UInt8], to other: borrowing Directory, as newName: [UInt8])
        throws(SystemCallError)
    {
        let target = other.descriptor.rawValue
        _ = try call("renameat2", name) { directory, name in
            Self.withCString(newName) { renameat2(directory, name, target, $0, CPOSIX_RENAME_NOREPLACE) }
        }
    }

    /// Calls `body` with each name in no order, `.` and `..` left out, and holds none of them itself.
    public func forEachName(_ body: ([UInt8]) throws(SystemCallError) -> Void) throws(SystemCallError) {
        // A descriptor of its own: a copy would share the place in the listing.
        let copy = try call("openat", [0x2E]) { openat($0, $1, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(copy) else {
            let errno = Errno.current
            close(copy)
            throw SystemCallError(call: "fdopendir", subject: path, errno: errno)
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: UInt8.self, capacity: Int(NAME_MAX) + 1) {
                    Array(UnsafeBufferPointer(start: $0, count: strlen($0)))
                }
            }
            if name != [0x2E] && name != [0x2E, 0x2E] { try body(name) }
        }
        if errno != 0 { throw SystemCallError(call: "readdir", subject: path, errno: .current) }
    }

    private func call(_ call: StaticString, _ name: [UInt8], _ body: (CInt, UnsafePointer<CChar>) -> CInt)
        throws(SystemCallError) -> CInt
    {
        try systemCall(call, subject(name)) {
            Self.withCString(name) { body(descriptor.rawValue, $0) }
        }
    }

    private func subject(_ name: [UInt8]) -> String { "\(path)/\(String(decoding: name, as: UTF8.self))" }

    private static func withCString(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> CInt) -> CInt {
        let name = name.map { CChar(bitPattern: $0) } + [0]
        return name.withUnsafeBufferPointer { buffer in buffer.baseAddress.map(body) ?? -1 }
    }
}
