public import Glibc

/// A named pipe by which one program tells another that there is work: a hint that may be lost or doubled.
///
/// The reader holds both ends, so that it never sees an end of file; it empties the pipe before it looks for
/// work, and looks from time to time anyway (qmail's trigger, INTERNALS section 2).
public struct TriggerFIFO: ~Copyable {
    private let descriptor: FileDescriptor

    /// Creates the pipe where it is missing and opens it for reading.
    ///
    /// - Parameters:
    ///   - path: where the pipe stands.
    ///   - mode: permission bits of a new pipe, whatever the umask.
    public init(path: String, mode: mode_t) throws(SystemCallError) {
        do throws(SystemCallError) {
            _ = try systemCall("mkfifo", path) { mkfifo(path, 0o600) }
            _ = try systemCall("chmod", path) { chmod(path, mode) }
        } catch  where error.errno == .exists {}
        descriptor = try FileDescriptor.open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW)
    }

    /// What to poll(2) for reading.
    public var rawValue: CInt { descriptor.rawValue }

    /// Forgets all hints so far; call it before looking for work, never after.
    public func empty() {
        while let bytes = try? descriptor.read(upTo: 512), !bytes.isEmpty {}
    }

    /// Gives a hint to the reader of the pipe at `path`; whether anybody reads it doesn't matter.
    public static func pull(path: String) {
        guard let writer = try? FileDescriptor.open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW) else { return }
        _ = try? writer.write([0x21])
    }
}
