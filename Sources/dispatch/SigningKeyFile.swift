internal import Glibc
internal import Posix
internal import TLS

/// Reads the provider's signing key, Apple's `.p8`, and refuses one that others could read too.
enum SigningKeyFile {
    /// Why a key can't be used; never quotes the file.
    struct Failure: Error, Equatable {
        let fault: String
    }

    /// Apple's files have about 260 bytes.
    private static let maximumBytes = 16_384

    /// Opens, checks and parses the key.
    static func load(_ path: String) throws(Failure) -> SigningKey {
        let (mode, bytes) = try read(path)
        guard mode & S_IFMT == S_IFREG else { throw Failure(fault: "is not a regular file") }
        guard mode & 0o077 == 0 else {
            throw Failure(fault: "can be read by others than its owner; run: chmod 0400 \(path)")
        }
        do throws(TLSError) {
            return try SigningKey(pem: bytes)
        } catch {
            throw Failure(fault: "is not a P-256 private key in PEM form, as Apple's .p8 is")
        }
    }

    private static func read(_ path: String) throws(Failure) -> (UInt32, [UInt8]) {
        do throws(SystemCallError) {
            let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
            return (try file.status().st_mode, try file.read(upTo: maximumBytes))
        } catch {
            throw Failure(fault: "\(error.errno); this program's account must own the file")
        }
    }
}
