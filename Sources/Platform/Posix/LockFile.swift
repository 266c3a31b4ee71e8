internal import Glibc

/// A lock that a process holds on a file for as long as it lives, whatever way it ends (flock(2)).
///
/// Never used on the database file itself: closing any descriptor of that would drop SQLite's own locks.
public struct LockFile: ~Copyable {
    private let descriptor: FileDescriptor

    /// Why a lock wasn't had.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// Another process holds it; `holder` is the process id it wrote, or nil when that can't be read.
        case held(path: String, holder: String?)
        case system(SystemCallError)

        /// The exit code for a program that can't have the lock (sysexits.h): 75, 77 or 73.
        public var exitCode: ExitCode {
            switch self {
            case .held: .temporaryFailure
            case .system(let error):
                error.errno == .permissionDenied || error.errno == .notPermitted
                    ? .noPermission : .cannotCreate
            }
        }

        /// One line for a log.
        public var description: String {
            switch self {
            case .held(let path, let holder): "\(path) is held by process \(holder ?? "unknown")"
            case .system(let error): error.description
            }
        }
    }

    /// Takes the lock without waiting, creating the file when it is missing, and notes this process's id in it
    /// if the disk has room.
    ///
    /// The file gets mode 0660 whatever the umask, so that all accounts of its group can take the lock.
    ///
    /// - Parameter path: a file in a directory that only the service's group can write to.
    public init(path: String) throws(Failure) {
        let file = try Self.open(path)
        try Self.lock(file, path)
        descriptor = file
    }

    private static func open(_ path: String) throws(Failure) -> FileDescriptor {
        do throws(SystemCallError) {
            return try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o660)
        } catch {
            throw .system(error)
        }
    }

    private static func lock(_ file: borrowing FileDescriptor, _ path: String) throws(Failure) {
        let number = file.rawValue
        do throws(SystemCallError) {
            _ = try systemCall("flock", path) { flock(number, LOCK_EX | LOCK_NB) }
        } catch {
            guard error.errno == .wouldBlock else { throw .system(error) }
            throw .held(path: path, holder: written(in: file))
        }
        // Courtesies, none of which the lock needs.
        try? file.setMode(0o660)
        try? file.setSize(0)
        try? file.writeAll(Array("\(getpid())\n".utf8))
    }

    /// The process id that the lock's holder wrote, `unknown` when that can't be read, nil when nobody holds it.
    ///
    /// The question itself shares the lock for an instant.
    public static func holder(path: String) throws(SystemCallError) -> String? {
        do throws(SystemCallError) {
            let file = try FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW)
            let number = file.rawValue
            do throws(SystemCallError) {
                _ = try systemCall("flock", path) { flock(number, LOCK_SH | LOCK_NB) }
                return nil
            } catch  where error.errno == .wouldBlock {
                return written(in: file) ?? "unknown"
            }
        } catch  where error.errno == .notFound {
            return nil
        }
    }

    private static func written(in file: borrowing FileDescriptor) -> String? {
        let text = (try? file.read(upTo: 32)) ?? []
        let holder = String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)
        return holder.isEmpty ? nil : holder
    }
}
