internal import Glibc
internal import Posix
internal import TLS

/// The files that a simulator keeps between runs, so that what was configured for one run fits the next.
struct SimulatorFiles {
    /// What clients must trust.
    let authorityFile: String
    /// The provider's key, as Apple would issue it.
    let keyFile: String
    let certificatePEM: [UInt8]
    let certificateKeyPEM: [UInt8]
    let signingKey: SigningKey

    /// The key's id; like Apple's it has ten characters.
    static let keyID = "SIMULATOR1"
    /// The id of the team that the key is for.
    static let teamID = "SIMULATEAM"

    /// Everything a client may call this machine, or Apple.
    private static let hostNames =
        ["localhost", "127.0.0.1"] + SimulatedEnvironment.allCases.map(\.hostName)

    /// Reads what is in `directory` and makes what is missing; the directory too, open to its owner only.
    init(directory: String) throws {
        let directory = try Self.made(directory)
        authorityFile = "\(directory)/ca.pem"
        keyFile = "\(directory)/AuthKey.p8"
        let certificateFile = "\(directory)/server.pem"
        let certificateKeyFile = "\(directory)/server.key"
        if let certificate = try Self.read(certificateFile), let key = try Self.read(certificateKeyFile),
            try Self.read(authorityFile) != nil
        {
            certificatePEM = certificate
            certificateKeyPEM = key
        } else {
            let issued = try ThrowAwayAuthority.issue(hostNames: Self.hostNames)
            try ReplacedFile.write(issued.keyPEM, to: certificateKeyFile, mode: 0o600)
            try ReplacedFile.write(issued.certificatePEM, to: certificateFile, mode: 0o644)
            try ReplacedFile.write(issued.authorityPEM, to: authorityFile, mode: 0o644)
            certificatePEM = issued.certificatePEM
            certificateKeyPEM = issued.keyPEM
        }
        if let pem = try Self.read(keyFile) {
            signingKey = try SigningKey(pem: pem)
        } else {
            signingKey = try SigningKey.generate()
            try ReplacedFile.write(try signingKey.pem, to: keyFile, mode: 0o600)
        }
    }

    /// Nil when there is no such file.
    static func read(_ path: String) throws(SystemCallError) -> [UInt8]? {
        do throws(SystemCallError) {
            return try contents(path)
        } catch  where error.errno == .notFound {
            return nil
        }
    }

    private static func contents(_ path: String) throws(SystemCallError) -> [UInt8] {
        let file = try FileDescriptor.open(path, O_RDONLY)
        var bytes: [UInt8] = []
        while true {
            let piece = try file.read(upTo: 65_536)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    /// Makes a directory where there is none; gives its absolute path.
    private static func made(_ path: String) throws(SystemCallError) -> String {
        do throws(SystemCallError) {
            _ = try systemCall("mkdir", path) { mkdir(path, 0o700) }
        } catch  where error.errno == .exists {}
        guard let resolved = realpath(path, nil) else {
            throw SystemCallError(call: "realpath", subject: path, errno: .current)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
