import HTTP2
import Testing

@Suite("HTTP/2 peers that break the protocol")
struct HostilePeerTests {
    @Test("A server that gets HTTP/1 throws")
    func http1ToServer() throws {
        let server = try HTTP2Session(role: .server)
        #expect(throws: HTTP2Error.self) { try server.receive(Array("GET / HTTP/1.1\r\n\r\n".utf8)) }
        #expect(throws: HTTP2Error.self) { try server.bytesToSend() }
    }

    @Test("A client that gets HTTP/1 says goodbye with an error and is finished")
    func http1ToClient() throws {
        let client = try HTTP2Session(role: .client)
        _ = try client.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        _ = try client.bytesToSend()
        #expect(client.complaint != nil)
        #expect(client.isFinished)
    }

    @Test("DATA on stream 0 is answered with GOAWAY, PROTOCOL_ERROR")
    func dataOnConnection() throws {
        let pair = try HTTP2Pair()
        try pair.converse()
        _ = try pair.client.receive(frame(type: 0, [1, 2, 3]))
        try pair.converse()
        #expect(pair.client.complaint?.description == "PROTOCOL_ERROR")
        #expect(
            pair.serverEvents.contains {
                if case .goAway(_, let code, _) = $0 { code.description == "PROTOCOL_ERROR" } else { false }
            })
    }

    @Test("Events before broken bytes are given first, and only then the error")
    func eventsBeforeError() throws {
        let client = try HTTP2Session(role: .client)
        let pings = (0..<2_000).flatMap { _ in frame(type: 6, [UInt8](repeating: 0, count: 8)) }
        let events = try client.receive(frame(type: 4, []) + pings)
        #expect(events.count == 1)
        #expect(throws: HTTP2Error.self) { try client.receive([]) }
    }

    @Test("A peer that asks for answers and reads none is an error, not a growing buffer")
    func flood() throws {
        let pair = try HTTP2Pair()
        try pair.converse()
        let ping = frame(type: 6, [UInt8](repeating: 0, count: 8))
        let error = #expect(throws: HTTP2Error.self) {
            for _ in 0..<2_000 { _ = try pair.client.receive(ping) }
        }
        #expect("\(try #require(error))".contains("Flooding"))
    }

    @Test("A response with a header block that isn't HPACK breaks the connection, not the program")
    func badHeaderBlock() throws {
        let pair = try HTTP2Pair()
        let stream = try pair.push()
        try pair.converse()
        _ = try pair.client.receive(
            frame(type: 1, flags: 4, stream: UInt8(stream), [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
        try pair.converse()
        #expect(pair.client.complaint == ErrorCode(rawValue: 9))
    }

    @Test("A header value that isn't UTF-8 arrives with U+FFFD")
    func notUTF8() throws {
        let pair = try HTTP2Pair()
        let stream = try pair.push()
        try pair.converse()
        // :status 200 from the static table, then a literal field x: 0xFF (RFC 7541 section 6.2.2).
        _ = try pair.client.bytesToSend()
        let events = try pair.client.receive(
            frame(type: 1, flags: 4, stream: UInt8(stream), [0x88, 0x00, 1, UInt8(ascii: "x"), 1, 0xFF]))
        #expect(events.headers(of: stream) == [HeaderField(":status", "200"), HeaderField("x", "\u{FFFD}")])
    }

    @Test("An answer to a stream that never was is refused by the session, quietly")
    func answerToNothing() throws {
        let pair = try HTTP2Pair()
        try pair.converse()
        #expect(throws: HTTP2Error.self) { try pair.answer(0) }
        try? pair.answer(77)
        try pair.converse()
        #expect(!pair.client.isFinished)
    }

    @Test("Damage at random places never traps, and a request either has one end or is still open")
    func randomDamage() throws {
        var random = Random(state: 1)
        var ended = 0
        for _ in 0..<500 {
            let pair = try HTTP2Pair()
            _ = try pair.push()
            let asked = try pair.client.bytesToSend()
            _ = try? pair.server.receive(damaged(asked, &random))
            try? pair.answer(1, Array("answer".utf8))
            let answered = (try? pair.server.bytesToSend()) ?? []
            var events = (try? pair.client.receive(damaged(answered, &random))) ?? []
            _ = try? pair.client.bytesToSend()
            events += pair.client.nextEvents()
            let ends = events.count {
                switch $0 {
                case .streamClosed, .requestNotSent: true
                default: false
                }
            }
            #expect(ends == (pair.client.openStreams.isEmpty ? 1 : 0))
            ended += ends
        }
        // Else the damage would be too little or too much to show anything.
        #expect((50...450).contains(ended), "\(ended) of 500")
    }

    private func damaged(_ bytes: [UInt8], _ random: inout Random) -> [UInt8] {
        var bytes = bytes
        if !bytes.isEmpty {
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        return bytes
    }

    /// A generator that repeats itself for a seed (SplitMix64).
    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
