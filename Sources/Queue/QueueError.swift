internal import Glibc
public import Posix
public import SQLite

/// The queue couldn't do what it was asked.
///
/// Prints as one line that names the file, what is wrong and what to do about it.
public struct QueueError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Cause: Equatable, Sendable {
        /// Another process held the write lock for longer than the busy time-out.
        case busy
        /// The disk or the user's quota is full, or the file may not grow.
        case full
        /// The file system is mounted read-only, or has become so by a fault.
        case readOnly
        /// The process, or the whole system, has too many files open.
        case tooManyFiles(String)
        /// The file may not be opened or written by this user.
        case permission(String)
        /// There is no queue, and none was to be made.
        case missing
        /// There is no queue any more: its tokens' key is still there.
        case vanished
        /// The file can't be created or opened.
        case cannotOpen(String)
        /// Reading, writing or flushing failed.
        case inputOutput(SQLiteError)
        /// The file is damaged, or no database at all.
        case corrupt
        /// The file is a database of another program.
        case foreign
        /// The file was written by a newer version of this program.
        case newerVersion(found: Int64, known: Int64)
        /// The device tokens are sealed with another key, or none was given.
        case wrongKey
        /// Other files stand at the path than were opened.
        case moved
        /// Somebody's salvage ended halfway.
        case halfSalvaged
        /// The file system doesn't support a write-ahead log.
        case noWriteAheadLog
        /// Anything else: a fault of this program.
        case unexpected(SQLiteError)
    }

    /// The database file.
    public let path: String
    /// What is wrong.
    public let cause: Cause

    /// Whether the process must end: all but a busy lock and a full disk, which pass.
    ///
    /// After a failed flush the next commit would seem to succeed without having reached the disk, so nothing
    /// may be tried again in this process; what isn't committed is still in the spool.
    public var isFatal: Bool { cause != .busy && cause != .full }

    /// The exit code for a program that ends because of it (sysexits.h).
    public var exitCode: ExitCode {
        switch cause {
        case .missing, .vanished: .unavailable
        case .busy, .moved: .temporaryFailure
        case .full, .readOnly, .tooManyFiles, .cannotOpen, .inputOutput, .corrupt, .halfSalvaged: .inputOutput
        case .permission: .noPermission
        case .foreign, .newerVersion, .wrongKey, .noWriteAheadLog: .configuration
        case .unexpected: .software
        }
    }

    /// One line for a log.
    public var description: String { "\(path): \(cause.text)" }

    init(path: String, cause: Cause) {
        self.path = path
        self.cause = cause
    }

    init(path: String, _ error: SystemCallError) {
        self.init(path: path, cause: Self.cannotOpen(error.errno, path))
    }

    private static func cannotOpen(_ errno: Errno, _ path: String) -> Cause {
        switch errno {
        case .permissionDenied: .permission(unwritable(path) ?? "\(errno)")
        case .readOnlyFileSystem: .readOnly
        case .noSpace, .quotaExceeded: .full
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: .tooManyFiles("\(errno)")
        default: .cannotOpen("\(errno)")
        }
    }

    init(path: String, _ error: SQLiteError) {
        let errno = Errno(rawValue: error.systemErrno)
        let cause: Cause =
            switch error.code.primary {
            case .busy, .locked: .busy
            case .full: .full
            case .permission, .readOnly:
                Self.isReadOnly(path) ? .readOnly : .permission(Self.unwritable(path) ?? error.message)
            case .cannotOpen where error.systemErrno == 0: .cannotOpen(error.message)
            case .cannotOpen where errno == .notFound:
                // Or its companions, which can't be made where nothing can.
                Self.isReadOnly(path) ? .readOnly : .missing
            case .cannotOpen: Self.cannotOpen(errno, path)
            // A write that has no room failed alone, and may be tried again. After a flush it may not.
            case .inputOutput
            where error.code != .flush && (errno == .noSpace || errno == .quotaExceeded): .full
            case .inputOutput where errno == .readOnlyFileSystem: .readOnly
            case .inputOutput, .lockingProtocol: .inputOutput(error)
            case .corrupt, .notADatabase: .corrupt
            default: .unexpected(error)
            }
        self.init(path: path, cause: cause)
    }

    /// Which of the queue's files this user can't write, or that it's their directory; nil when none is.
    private static func unwritable(_ path: String) -> String? {
        for companion in ["", "-wal", "-shm"]
        where access(path + companion, W_OK) != 0 && access(path + companion, F_OK) == 0 {
            return companion.isEmpty ? "can't be written" : "its \(companion) can't be written"
        }
        let directory = String(path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex))
        return access(directory, W_OK) == 0 ? nil : "its directory can't be written"
    }

    private static func isReadOnly(_ path: String) -> Bool {
        var system = statvfs()
        return statvfs(path, &system) == 0 && system.f_flag & UInt(ST_RDONLY) != 0
    }
}

extension QueueError.Cause {
    fileprivate var text: String {
        switch self {
        case .busy:
            "another process holds the write lock; try again"
        case .full:
            "no space left for the queue; free some, nothing is lost"
        case .readOnly:
            "its file system is read-only; mount it for writing, and check the disk if it became so by itself"
        case .tooManyFiles(let why):
            "cannot be opened: \(why); raise the limit of open files"
        case .permission(let why):
            "\(why); run as the owner of the queue, or correct owner and mode"
        case .missing:
            "there is no queue yet; spool-drain, dispatch and doorbell device add make it"
        case .vanished:
            "is missing, but its doorbell.key is there; put it back, or remove that key to begin with no devices"
        case .cannotOpen(let why):
            "cannot be opened: \(why); check [queue] path and its directory"
        case .inputOutput(let error):
            "\(error); check the disk, then start again: what wasn't committed is still in the spool"
        case .corrupt:
            "is damaged or no database; stop spool-drain and dispatch, then doorbell queue salvage, or restore a copy"
        case .foreign:
            "is a database of another program; check [queue] path"
        case .newerVersion(let found, let known):
            "has version \(found), this program knows up to \(known); install the newer program"
        case .wrongKey:
            "its device tokens are sealed with another key than doorbell.key holds; \(TokenSeal.cure)"
        case .moved:
            "it or its -wal isn't what it was when this program started; start again"
        case .halfSalvaged:
            "a salvage was interrupted; stop spool-drain and dispatch, then doorbell queue salvage ends it"
        case .noWriteAheadLog:
            "its file system supports no write-ahead log; move the queue to a local disk"
        case .unexpected(let error):
            "unexpected: \(error)"
        }
    }
}
