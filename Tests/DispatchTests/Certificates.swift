import TLS
import TestSupport

/// A certificate for one name, its key and its authority, as files.
struct Certificates {
    /// What clients must trust.
    let authority: String
    /// What the server shows.
    let certificate: String
    /// The server's private key.
    let key: String

    /// Issues them into a directory.
    init(for hostName: String = "127.0.0.1", in directory: TemporaryDirectory) throws {
        let issued = try ThrowAwayAuthority.issue(hostNames: [hostName])
        func write(_ name: String, _ pem: [UInt8]) throws -> String {
            try directory.write(name, String(decoding: pem, as: UTF8.self), mode: 0o600)
        }
        authority = try write("peer-ca.pem", issued.authorityPEM)
        certificate = try write("peer.pem", issued.certificatePEM)
        key = try write("peer.key", issued.keyPEM)
    }

    /// The environment that leads dispatch to a server on this port.
    func environment(port: some BinaryInteger) -> [String: String] {
        let address = "127.0.0.1:\(port)"
        return [
            "PATH": "/usr/bin:/bin", "DOORBELL_APNS_HOST": "production=\(address),sandbox=\(address)",
            "DOORBELL_APNS_CA": authority,
        ]
    }
}
