public import Glibc

/// An open file, closed when its owner lets it go.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The number the kernel knows it by.
    public let rawValue: CInt

    /// Takes over a descriptor: nobody else may close it.
    public init(owning rawValue: CInt) { self.rawValue = rawValue }

    deinit { _ = close(rawValue) }

    /// Opens a file, always close-on-exec.
    ///
    /// The corresponding C function is `open`; EINTR is retried.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - flags: O_RDONLY and friends.
    ///   - mode: permission bits for a file that is created, before the umask.
    public static func open(_ path: String, _ flags: CInt, mode: mode_t = 0) throws(SystemCallError)
        -> FileDescriptor
    {
        FileDescriptor(
            owning: try systemCall("open", path) { Glibc.open(path, flags | O_CLOEXEC, mode) })
    }

    /// Reads at most `count` bytes; an empty answer is the end of the file.
    ///
    /// EINTR is retried.
    public func read(upTo count: Int) throws(SystemCallError) -> [UInt8] {
        var failure: SystemCallError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            do throws(SystemCallError) {
                length = try systemCall("read", "descriptor \(rawValue)") {
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
        return try systemCall("write", "descriptor \(rawValue)") {
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
    public func setMode(_ mode: mode_t) throws(SystemCallError) {
        _ = try systemCall("fchmod", "descriptor \(rawValue)") { fchmod(rawValue, mode) }
    }

    /// Cuts the file to this length.
    ///
    /// The corresponding C function is `ftruncate`.
    public func setSize(_ bytes: Int) throws(SystemCallError) {
        _ = try systemCall("ftruncate", "descriptor \(rawValue)") { ftruncate(rawValue, off_t(bytes)) }
    }

    /// Flushes data and metadata to the disk.
    ///
    /// The corresponding C function is `fsync`.
    public func synchronize() throws(SystemCallError) {
        _ = try systemCall("fsync", "descriptor \(rawValue)") { fsync(rawValue) }
    }

    /// Gives what fstat(2) tells of the open file.
    public func status() throws(SystemCallError) -> stat {
        var status = stat()
        _ = try systemCall("fstat", "descriptor \(rawValue)") { fstat(rawValue, &status) }
        return status
    }
}
