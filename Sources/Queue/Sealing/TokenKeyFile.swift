internal import Glibc
public import Posix
public import Queue

/// The file of the key that a queue's device tokens are sealed with: `doorbell.key`, beside the database.
///
/// One line of hexadecimal digits, mode 0600, of the directory's owner: the drain shares the group only, and neither
/// needs the key nor can read it.
public struct TokenKeyFile {
    /// Why there is no key; prints as one line that says what to do, and never quotes the file.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// Path, fault and cure.
        public let description: String
        /// Of a program that ends because of it (sysexits.h): 74, 77 or 78.
        public let exitCode: ExitCode
    }

    private let path: String

    /// Names the file; nothing is opened.
    public init(path: String) { self.path = path }

    /// Reads the key, or makes one.
    ///
    /// - Parameter making: whether no token is sealed yet: then a missing key is made. It is whole from its first
    ///   moment and on the disk when this returns, so that what is sealed with it can be opened after a power cut.
    public func load(making: Bool) throws(Failure) -> TokenSeal {
        let line: [UInt8]
        let (file, owner): (stat, UInt32)
        do throws(SystemCallError) {
            let directory = try FileDescriptor.open(directory, O_RDONLY | O_DIRECTORY)
            owner = try directory.status().st_uid
            // Another's would be of no use to the service.
            if making && geteuid() == owner {
                try make()
                try directory.synchronize()
            }
            (line, file) = try read()
        } catch {
            throw failure(error)
        }
        guard file.st_mode & S_IFMT == S_IFREG else { throw unusable("is not a regular file") }
        guard file.st_uid == owner else {
            let account = (try? UserDatabase.name(of: owner)) ?? "\(owner)"
            throw unusable("belongs to uid \(file.st_uid); as root: chown \(account) \(path)")
        }
        guard file.st_mode & 0o077 == 0 else {
            throw unusable("can be read by others than its owner; run: chmod 0600 \(path)")
        }
        guard let key = TokenKey(line: line) else {
            throw unusable("holds no key, which is one line of 64 hexadecimal digits; \(TokenSeal.cure)")
        }
        return key.seal
    }

    /// Makes a key where there is none; whoever is first wins.
    private func make() throws(SystemCallError) {
        guard access(path, F_OK) != 0 else { return }
        let temporary = "\(path).\(getpid()).tmp"
        let file = try FileDescriptor.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
        defer { unlink(temporary) }
        try file.setMode(0o600)
        try file.writeAll(TokenKey.random().line)
        try file.synchronize()
        do throws(SystemCallError) {
            _ = try systemCall("link", path) { link(temporary, path) }
        } catch  where error.errno == .exists {}
    }

    private func read() throws(SystemCallError) -> ([UInt8], stat) {
        let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
        return (try file.read(upTo: 4096), try file.status())
    }

    private var directory: String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    private func failure(_ error: SystemCallError) -> Failure {
        switch error.errno {
        case .notFound:
            unusable("is missing, and device tokens are sealed with it; \(TokenSeal.cure)")
        case .tooManyLinks: unusable("is a symbolic link; put the file itself there")
        case .permissionDenied, .notPermitted:
            Failure(description: "\(error); run as the owner of \(directory)", exitCode: .noPermission)
        default: Failure(description: "\(error); check the disk, then start again", exitCode: .inputOutput)
        }
    }

    private func unusable(_ fault: String) -> Failure {
        Failure(description: "\(path): \(fault)", exitCode: .configuration)
    }
}
