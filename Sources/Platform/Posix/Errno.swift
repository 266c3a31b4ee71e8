internal import Glibc

/// An error number of the C library: names for those this project acts on, and room for the rest.
public struct Errno: RawRepresentable, Equatable, Hashable, Sendable, CustomStringConvertible {
    /// The number itself.
    public let rawValue: CInt

    /// Wraps an error number as errno(3) has it.
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// The calling thread's errno.
    ///
    /// Read it before anything else can run: even a release of memory may change it.
    public static var current: Errno { Errno(rawValue: errno) }

    /// The C library's one-line text, such as "No such file or directory".
    public var description: String {
        guard let text = strerror(rawValue) else { return "error \(rawValue)" }
        return String(cString: text)
    }

    /// EINTR.
    public static let interrupted = Errno(rawValue: EINTR)
    /// EAGAIN.
    public static let again = Errno(rawValue: EAGAIN)
    /// EINPROGRESS.
    public static let inProgress = Errno(rawValue: EINPROGRESS)
    /// ENOENT.
    public static let notFound = Errno(rawValue: ENOENT)
    /// EEXIST.
    public static let exists = Errno(rawValue: EEXIST)
    /// ENOTDIR.
    public static let notADirectory = Errno(rawValue: ENOTDIR)
    /// EISDIR.
    public static let isADirectory = Errno(rawValue: EISDIR)
    /// ENOTEMPTY.
    public static let notEmpty = Errno(rawValue: ENOTEMPTY)
    /// ELOOP.
    public static let tooManyLinks = Errno(rawValue: ELOOP)
    /// ENXIO.
    public static let noDevice = Errno(rawValue: ENXIO)
    /// EACCES.
    public static let permissionDenied = Errno(rawValue: EACCES)
    /// EPERM.
    public static let notPermitted = Errno(rawValue: EPERM)
    /// EMFILE.
    public static let tooManyOpenFiles = Errno(rawValue: EMFILE)
    /// ENFILE.
    public static let tooManyOpenFilesInSystem = Errno(rawValue: ENFILE)
    /// ENOSPC.
    public static let noSpace = Errno(rawValue: ENOSPC)
    /// EOPNOTSUPP.
    public static let notSupported = Errno(rawValue: EOPNOTSUPP)
    /// EDQUOT.
    public static let quotaExceeded = Errno(rawValue: EDQUOT)
    /// EROFS.
    public static let readOnlyFileSystem = Errno(rawValue: EROFS)
    /// EIO.
    public static let inputOutput = Errno(rawValue: EIO)
    /// EPIPE.
    public static let brokenPipe = Errno(rawValue: EPIPE)
    /// EWOULDBLOCK.
    public static let wouldBlock = Errno(rawValue: EWOULDBLOCK)
    /// ETIMEDOUT.
    public static let timedOut = Errno(rawValue: ETIMEDOUT)
    /// ECONNREFUSED.
    public static let connectionRefused = Errno(rawValue: ECONNREFUSED)
}
