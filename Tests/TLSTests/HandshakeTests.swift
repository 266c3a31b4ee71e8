import Foundation
import TestSupport
import Testing

@testable import TLS

@Suite("TLS handshake")
struct HandshakeTests {
    @Test("Client and server agree, whatever pieces their bytes come in", arguments: [1, 7, 1 << 20])
    func agree(pieceBytes: Int) throws {
        let pair = try TLSPair()
        try pair.shakeHands(pieceBytes: pieceBytes)
        #expect(try pair.client.handshake())
        #expect(try pair.server.handshake())
    }

    @Test(
        "A certificate for several names serves each",
        arguments: ["localhost", "api.push.apple.com", "127.0.0.1", "::1"])
    func severalNames(hostName: String) throws {
        let pair = try TLSPair(
            names: ["localhost", "api.push.apple.com", "127.0.0.1", "::1"], hostName: hostName)
        try pair.shakeHands()
        #expect(try pair.client.handshake())
    }

    @Test(
        "A certificate for another name is refused, naming the one asked for",
        arguments: ["localhost", "127.0.0.1"])
    func wrongHostName(hostName: String) throws {
        let pair = try TLSPair(names: ["example.com", "127.0.0.2"], hostName: hostName)
        try pair.shakeHands()
        #expect(pair.clientFailure == .certificate(.wrongHostName(expected: hostName)))
    }

    @Test("The common name of a certificate isn't a host name, even where it has no DNS name")
    func commonName() throws {
        let pair = try TLSPair(names: ["127.0.0.1"], hostName: "throw-away-server")
        try pair.shakeHands()
        #expect(pair.clientFailure == .certificate(.wrongHostName(expected: "throw-away-server")))
    }

    @Test(
        "A host name that would switch the check off or widen it is refused",
        arguments: ["", "\0", "\0localhost", "localhost\0.example.com", ".localhost"])
    func uncheckableHostName(hostName: String) throws {
        let context = try TLSContext.client(caFile: nil)
        #expect(throws: TLSError.uncheckableHostName) {
            try TLSSession(client: context, hostName: hostName)
        }
    }

    @Test("Hazard 78: An unknown root is refused, naming the issuer and what to do")
    func unknownAuthority() throws {
        let pair = try TLSPair(trusted: false)
        try pair.shakeHands()
        #expect(pair.clientFailure == .certificate(.unknownAuthority(issuer: "/CN=Throw-away authority")))
        #expect("\(try #require(pair.clientFailure))".contains("ca-certificates"))
    }

    @Test("An expired certificate is refused as expired")
    func expired() throws {
        let pair = try TLSPair(validity: -7_200 ... -3_600)
        try pair.shakeHands()
        #expect(pair.clientFailure == .certificate(.expired(subject: "/CN=throw-away-server")))
    }

    @Test("A certificate of tomorrow is refused as not yet valid")
    func notYetValid() throws {
        let pair = try TLSPair(validity: 86_400...172_800)
        try pair.shakeHands()
        #expect(pair.clientFailure == .certificate(.notYetValid(subject: "/CN=throw-away-server")))
    }

    @Test("The server learns from an alert that the client refused it")
    func serverSeesAlert() throws {
        let pair = try TLSPair(trusted: false)
        try pair.shakeHands()
        #expect("\(try #require(pair.serverFailure))".contains("alert unknown ca"))
    }

    @Test("A client refuses a server that chooses no protocol")
    func serverWithoutALPN() throws {
        let pair = try TLSPair(serverProtocols: [])
        try pair.shakeHands()
        #expect(pair.clientFailure == .noHTTP2)
    }

    @Test("A server refuses a client that offers no protocol")
    func clientWithoutALPN() throws {
        let pair = try TLSPair(clientProtocols: [])
        try pair.shakeHands()
        #expect(pair.serverFailure == .noHTTP2)
    }

    @Test("A client that offers HTTP/1.1 only gets an alert")
    func clientOfHTTP1() throws {
        let pair = try TLSPair(clientProtocols: [8] + Array("http/1.1".utf8))
        try pair.shakeHands()
        #expect("\(try #require(pair.clientFailure))".contains("no application protocol"))
    }

    @Test("A server refuses TLS 1.1")
    func serverRefusesTLS11() throws {
        let pair = try TLSPair()
        // ClientHello (RFC 4346 section 7.4.1.2): version 3.2, one cipher suite, no compression.
        let random = [UInt8](repeating: 7, count: 32)
        try pair.server.receive([22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 2] + random + [0, 0, 2, 0xC0, 0x09, 1, 0])
        let error = #expect(throws: TLSError.self) { try pair.server.handshake() }
        #expect("\(try #require(error))".contains("unsupported protocol"))
        // A fatal alert, protocol_version.
        #expect(pair.server.bytesToSend().suffix(2) == [2, 70])
    }

    @Test("A client refuses TLS 1.1")
    func clientRefusesTLS11() throws {
        let pair = try TLSPair()
        _ = try pair.client.handshake()
        // ServerHello (RFC 4346 section 7.4.1.3): version 3.2 and a cipher suite.
        let random = [UInt8](repeating: 7, count: 32)
        try pair.client.receive([22, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2] + random + [0, 0xC0, 0x09, 0])
        let error = #expect(throws: TLSError.self) { try pair.client.handshake() }
        #expect("\(try #require(error))".contains("unsupported protocol"))
    }

    @Test(
        "A peer that doesn't speak TLS makes an error, not a trap",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "\u{0}\u{0}\u{0}\u{0}\u{0}"])
    func notTLS(text: String) throws {
        let pair = try TLSPair()
        _ = try pair.client.handshake()
        try pair.client.receive(Array(text.utf8))
        #expect(throws: TLSError.self) { try pair.client.handshake() }
        // It stays failed: the caller can't go on by accident.
        #expect(throws: TLSError.self) { try pair.client.write([1]) }
    }

    @Test(
        "A CA file that can't be read is named, with the system's reason in words",
        arguments: [
            ("/nowhere/ca.pem", "No such file or directory"), ("/etc/passwd/ca.pem", "Not a directory"),
        ])
    func unreadableCAFile(path: String, reason: String) throws {
        let error = #expect(throws: TLSError.self) { try TLSContext.client(caFile: path) }
        let text = "\(try #require(error))"
        #expect(text.hasPrefix("load \(path): "))
        #expect(text.contains(reason))
        #expect(!text.contains("error "))
    }
}
