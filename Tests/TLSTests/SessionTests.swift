import Testing

@testable import TLS

@Suite("TLS session")
struct SessionTests {
    private func connected() throws -> TLSPair {
        let pair = try TLSPair()
        try pair.shakeHands()
        _ = try pair.client.read()
        return pair
    }

    @Test("Nothing is read before the handshake is done")
    func nothingEarly() throws {
        let pair = try TLSPair()
        _ = try pair.client.handshake()
        try pair.server.receive(pair.client.bytesToSend())
        #expect(try pair.server.read().isEmpty)
    }

    @Test("What one side writes the other reads, both ways")
    func bothWays() throws {
        let pair = try connected()
        try pair.client.write(Array("ping".utf8))
        try pair.server.receive(pair.client.bytesToSend())
        #expect(try pair.server.read() == Array("ping".utf8))
        try pair.server.write(Array("pong".utf8))
        try pair.client.receive(pair.server.bytesToSend())
        #expect(try pair.client.read() == Array("pong".utf8))
    }

    @Test("Hazard 81: A megabyte in one write arrives whole, byte for byte")
    func megabyte() throws {
        let pair = try connected()
        let megabyte = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try pair.client.write(megabyte)
        let ciphertext = pair.client.bytesToSend()
        var arrived: [UInt8] = []
        for start in stride(from: 0, to: ciphertext.count, by: 1_000) {
            try pair.server.receive(Array(ciphertext[start...].prefix(1_000)))
            arrived += try pair.server.read()
        }
        #expect(arrived == megabyte)
    }

    @Test("An empty write sends nothing")
    func emptyWrite() throws {
        let pair = try connected()
        try pair.client.write([])
        #expect(pair.client.bytesToSend().isEmpty)
    }

    @Test("Closing is seen by the peer, after what was written before")
    func closing() throws {
        let pair = try connected()
        try pair.server.write(Array("last words".utf8))
        pair.server.close()
        try pair.client.receive(pair.server.bytesToSend())
        #expect(!pair.client.peerHasClosed)
        #expect(try pair.client.read() == Array("last words".utf8))
        #expect(pair.client.peerHasClosed)
        #expect(try pair.client.read().isEmpty)
    }

    @Test("A damaged record throws, but only after the plaintext before it")
    func damagedRecord() throws {
        let pair = try connected()
        try pair.server.write(Array("intact".utf8))
        let intact = pair.server.bytesToSend()
        try pair.server.write(Array("damaged".utf8))
        var damaged = pair.server.bytesToSend()
        damaged[damaged.count - 1] ^= 1
        try pair.client.receive(intact + damaged)
        #expect(try pair.client.read() == Array("intact".utf8))
        #expect(throws: TLSError.self) { try pair.client.read() }
        #expect(throws: TLSError.self) { try pair.client.read() }
    }

    @Test("Closing before the handshake is done does nothing")
    func closingEarly() throws {
        let pair = try TLSPair()
        pair.client.close()
        #expect(pair.client.bytesToSend().isEmpty)
    }
}
