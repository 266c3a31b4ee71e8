/// What OpenSSL's verification said about the peer's chain, kept until the handshake's error is made.
final class ChainVerdict {
    let hostName: String
    private(set) var problem: CertificateProblem?

    init(hostName: String) { self.hostName = hostName }

    func note(_ code: CInt, _ certificate: OpaquePointer?) {
        problem = problem ?? CertificateProblem(code: code, certificate: certificate, hostName: hostName)
    }
}
