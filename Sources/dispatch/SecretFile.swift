internal import Glibc
internal import Posix

/// Reads a file that holds a secret, and refuses one that others could read too.
enum SecretFile {
    /// Why it can't be used; never quotes the file.
    struct Failure: Error, Equatable {
        let fault: String
    }

    /// Apple's keys, the largest, have about 260 bytes.
    private static let maximumBytes = 16_384

    /// Opens, checks and reads it.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let (mode, bytes) = try content(path)
        guard mode & S_IFMT == S_IFREG else { throw Failure(fault: "is not a regular file") }
        guard mode & 0o077 == 0 else {
            throw Failure(fault: "can be read by others than its owner; run: chmod 0400 \(path)")
        }
        return bytes
    }

    /// Reads a password: what stands before a line end, of which an editor leaves one.
    static func password(_ path: String) throws(Failure) -> [UInt8] {
        let bytes = try read(path)
        let password = Array(bytes.prefix { $0 != 0x0A && $0 != 0x0D })
        let rest = bytes.dropFirst(password.count)
        guard !password.isEmpty, !password.contains(0), rest.allSatisfy({ $0 == 0x0A || $0 == 0x0D }) else {
            throw Failure(fault: "must hold one line and nothing else")
        }
        return password
    }

    private static func content(_ path: String) throws(Failure) -> (UInt32, [UInt8]) {
        do throws(SystemCallError) {
            let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
            return (try file.status().st_mode, try file.read(upTo: maximumBytes))
        } catch {
            throw Failure(fault: "\(error.errno); this program's account must own the file")
        }
    }
}
