import TestSupport

@testable import TLS

/// A client and a server that talk through arrays.
final class TLSPair {
    let client: TLSSession
    let server: TLSSession

    /// What ended either side's handshake.
    private(set) var clientFailure: TLSError?
    private(set) var serverFailure: TLSError?

    /// Sets both up; whatever is left out is as it should be.
    ///
    /// - Parameters:
    ///   - names: what the server's certificate is for.
    ///   - hostName: what the client asks for.
    ///   - trusted: whether the client knows the server's authority.
    init(
        names: [String] = ["localhost"], hostName: String = "localhost", trusted: Bool = true,
        validity: ClosedRange<Int> = ThrowAwayAuthority.usualValidity,
        clientProtocols: [UInt8] = TLSContext.http2, serverProtocols: [UInt8] = TLSContext.http2
    ) throws {
        let issued = try ThrowAwayAuthority.issue(hostNames: names, validity: validity)
        let directory = try TemporaryDirectory()
        let file = try directory.write("ca.pem", String(decoding: issued.authorityPEM, as: UTF8.self))
        client = try TLSSession(
            client: .client(caFile: trusted ? file : nil, protocols: clientProtocols), hostName: hostName)
        server = try TLSSession(
            server: .server(
                certificatePEM: issued.certificatePEM, keyPEM: issued.keyPEM, protocols: serverProtocols))
    }

    /// Carries bytes to and fro, in pieces of this size, until both sides are silent.
    func shakeHands(pieceBytes: Int = 1 << 20) throws {
        _ = try client.handshake()
        while true {
            let asked = client.bytesToSend()
            serverFailure = feed(asked, to: server, pieceBytes) ?? serverFailure
            let answered = server.bytesToSend()
            clientFailure = feed(answered, to: client, pieceBytes) ?? clientFailure
            if asked.isEmpty && answered.isEmpty { return }
        }
    }

    private func feed(_ bytes: [UInt8], to session: TLSSession, _ pieceBytes: Int) -> TLSError? {
        do throws(TLSError) {
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                try session.receive(Array(bytes[start...].prefix(pieceBytes)))
                _ = try session.handshake()
            }
            return nil
        } catch {
            return error
        }
    }
}
