internal import Glibc

/// A named pipe by which one program tells another that there is work: a hint that may be lost or doubled.
///
/// The reader holds both ends, so that it never sees an end of file; it empties the pipe before it looks for
/// work, and looks from time to time anyway (qmail's trigger, INTERNALS section 2).
public struct TriggerFIFO: ~Copyable {
    private let descriptor: FileDescriptor

    /// Creates the pipe where it is missing and opens it for reading; EEXIST where something else stands.
    ///
    /// - Parameters:
    ///   - path: where the pipe stands.
    ///   - mode: its permission bits, whatever the umask.
    public init(path: String, mode: UInt32) throws(SystemCallError) {
        do throws(SystemCallError) {
            _ = try systemCall("mkfifo", path) { mkfifo(path, 0o600) }
        } catch  where error.errno == .exists {}
        let pipe = try Self.open(path, O_RDWR)
        do throws(SystemCallError) {
            // Each time: a program that was stopped in between has left a pipe that nobody else can open.
            try pipe.setMode(mode)
        } catch  where error.errno == .notPermitted {
            // Another account made it; this one could open it, which is all it needs.
        }
        descriptor = pipe
    }

    private static func open(_ path: String, _ access: CInt) throws(SystemCallError) -> FileDescriptor {
        let pipe = try FileDescriptor.open(path, access | O_NONBLOCK | O_NOFOLLOW)
        guard try pipe.status().st_mode & S_IFMT == S_IFIFO else {
            throw SystemCallError(call: "mkfifo", subject: path, errno: .exists)
        }
        return pipe
    }

    /// What to poll(2) for reading.
    public var rawValue: CInt { descriptor.rawValue }

    /// Forgets all hints so far; call it before looking for work, never after.
    public func empty() {
        while let bytes = try? descriptor.read(upTo: 512), !bytes.isEmpty {}
    }

    /// Gives a hint to the reader of the pipe at `path`; whether anybody reads it doesn't matter.
    public static func pull(path: String) {
        guard let writer = try? open(path, O_WRONLY) else { return }
        _ = try? writer.write([0x21])
    }
}
