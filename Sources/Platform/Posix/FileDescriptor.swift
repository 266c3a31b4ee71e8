public import Glibc
internal import Synchronization

/// An open file, closed when its owner lets it go.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The number the kernel knows it by.
    public let rawValue: CInt

    /// What errors call it: the path by which it was opened.
    private let name: String

    /// Takes over a descriptor: nobody else may close it.
    ///
    /// - Parameters:
    ///   - rawValue: the descriptor.
    ///   - name: what errors call it; nil where its number has to do.
    public init(owning rawValue: CInt, named name: String? = nil) {
        self.rawValue = rawValue
        self.name = name ?? "descriptor \(rawValue)"
    }

    deinit { _ = close(rawValue) }

    /// Opens a file, always close-on-exec.
    ///
    /// The corresponding C function is `open`; EINTR is retried.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - flags: O_RDONLY and friends.
    ///   - mode: permission bits for a file that is created, before the umask.
    public static func open(_ path: String, _ flags: CInt, mode: UInt32 = 0) throws(SystemCallError)
        -> FileDescriptor
    {
        FileDescriptor(
            owning: try systemCall("open", path) { Glibc.open(path, flags | O_CLOEXEC, mode) }, named: path)
    }

    /// Creates an empty file for reading and writing that has its mode from its first moment whatever the umask;
    /// EEXIST where there is one.
    ///
    /// The umask is the whole process's: what another thread creates at this moment gets its full mode as well.
    public static func create(_ path: String, mode: UInt32) throws(SystemCallError) -> FileDescriptor {
        try umaskTurn.withLock { _ throws(SystemCallError) in
            let mask = umask(0)
            defer { umask(mask) }
            return try open(path, O_RDWR | O_CREAT | O_EXCL, mode: mode)
        }
    }

    /// Reads at most `count` bytes; an empty answer is the end of the file.
    ///
    /// EINTR is retried.
    public func read(upTo count: Int) throws(SystemCallError) -> [UInt8] {
        var failure: SystemCallError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            do throws(SystemCallError) {
                length = try systemCall("read", name) {
                    Glibc.read(rawValue, buffer.baseAddress, count)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes what the kernel takes in one go and gives its length.
    ///
    /// EINTR is retried.
    public func write(_ bytes: some Collection<UInt8>) throws(SystemCallError) -> Int {
        let bytes = Array(bytes)
        return try systemCall("write", name) {
            Glibc.write(rawValue, bytes, bytes.count)
        }
    }

    /// Writes all of `bytes`.
    ///
    /// On a descriptor that doesn't block, EAGAIN is thrown like any other error.
    public func writeAll(_ bytes: [UInt8]) throws(SystemCallError) {
        var rest = bytes[...]
        while !rest.isEmpty { rest = rest.dropFirst(try write(rest)) }
    }

    /// Gives the file these permission bits whatever the umask.
    ///
    /// The corresponding C function is `fchmod`.
    public func setMode(_ mode: UInt32) throws(SystemCallError) {
        _ = try systemCall("fchmod", name) { fchmod(rawValue, mode) }
    }

    /// Cuts the file to this length.
    ///
    /// The corresponding C function is `ftruncate`.
    public func setSize(_ bytes: Int) throws(SystemCallError) {
        _ = try systemCall("ftruncate", name) { ftruncate(rawValue, off_t(bytes)) }
    }

    /// Flushes data and metadata to the disk.
    ///
    /// The corresponding C function is `fsync`.
    public func synchronize() throws(SystemCallError) {
        _ = try systemCall("fsync", name) { fsync(rawValue) }
    }

    /// Gives what fstat(2) tells of the open file.
    public func status() throws(SystemCallError) -> stat {
        var status = stat()
        _ = try systemCall("fstat", name) { fstat(rawValue, &status) }
        return status
    }
}

/// Held by the thread that has changed the umask, so that each puts back the one it found.
private let umaskTurn = Mutex(())
