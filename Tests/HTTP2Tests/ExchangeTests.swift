import HTTP2
import Testing

@Suite("HTTP/2 requests and responses")
struct ExchangeTests {
    @Test(
        "A request and its response arrive whole, whatever pieces they come in", arguments: [1, 10, 1 << 20])
    func exchange(pieceBytes: Int) throws {
        let pair = try HTTP2Pair()
        let stream = try pair.push(Array("question".utf8))
        try pair.converse(pieceBytes: pieceBytes)
        try pair.answer(stream, Array("answer".utf8))
        try pair.converse(pieceBytes: pieceBytes)
        #expect(pair.serverEvents.headers(of: stream) == pushHeaders)
        #expect(pair.serverEvents.body(of: stream) == Array("question".utf8))
        #expect(pair.clientEvents.headers(of: stream) == [HeaderField(":status", "200")])
        #expect(pair.clientEvents.body(of: stream) == Array("answer".utf8))
        #expect(
            pair.clientEvents.suffix(2) == [.endOfStream(stream), .streamClosed(stream, code: .noError)])
    }

    @Test(
        "Hazard 43: Bodies end exactly once and at their length, both ways",
        arguments: [0, 1, 4_096, 16_384, 200_000])
    func bodies(count: Int) throws {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let pair = try HTTP2Pair()
        let stream = try pair.push(body)
        try pair.converse()
        try pair.answer(stream, body)
        try pair.converse()
        for events in [pair.serverEvents, pair.clientEvents] {
            #expect(events.body(of: stream) == body)
            #expect(events.count(of: .endOfStream(stream)) == 1)
            #expect(events.count(of: .streamClosed(stream, code: .noError)) == 1)
        }
    }

    @Test("Header fields arrive in order, repeated ones too")
    func duplicateHeaders() throws {
        let pair = try HTTP2Pair()
        let fields =
            pushHeaders + [
                HeaderField("apns-topic", "a"), HeaderField("apns-id", "1"), HeaderField("apns-topic", "b"),
            ]
        let stream = try pair.client.submitRequest(fields, body: [1])
        try pair.converse()
        #expect(pair.serverEvents.headers(of: stream) == fields)
    }

    @Test("A field that is never to be indexed is sent in full each time, another only once")
    func indexing() throws {
        func secondRequest(_ indexing: HeaderField.Indexing) throws -> Int {
            let pair = try HTTP2Pair()
            let fields =
                pushHeaders + [HeaderField("apns-id", .init(repeating: "7", count: 100), indexing: indexing)]
            _ = try pair.client.submitRequest(fields, body: [1])
            try pair.converse()
            _ = try pair.client.submitRequest(fields, body: [1])
            return try pair.client.bytesToSend().count
        }
        #expect(try secondRequest(.never) > secondRequest(.incremental) + 50)
    }

    @Test("The acknowledgement of SETTINGS and of PING doesn't end a stream")
    func acknowledgements() throws {
        let pair = try HTTP2Pair()
        try pair.client.submitPing(Array("12345678".utf8))
        try pair.server.submitPing([9])
        try pair.converse()
        let settings = PeerSettings(
            maximumConcurrentStreams: 100, headerTableSize: 4_096, maximumHeaderListSize: .max)
        #expect(pair.clientEvents == [.settings(settings), .pingAcknowledged(Array("12345678".utf8))])
        let clientSettings = PeerSettings(
            maximumConcurrentStreams: .max, headerTableSize: 4_096, maximumHeaderListSize: .max)
        #expect(
            pair.serverEvents == [.settings(clientSettings), .pingAcknowledged([9, 0, 0, 0, 0, 0, 0, 0])])
    }

    @Test("Hazard 42: Requests submitted as others close, hundreds in a row, all get through")
    func submitOnClose() throws {
        let pair = try HTTP2Pair()
        var waiting = 300
        var closed = 0
        for _ in 0..<10 {
            _ = try pair.push()
            waiting -= 1
        }
        var seenByServer = 0
        var seenByClient = 0
        while closed < 300 {
            try pair.converse()
            for event in pair.serverEvents.dropFirst(seenByServer) {
                if case .endOfStream(let stream) = event { try pair.answer(stream) }
            }
            seenByServer = pair.serverEvents.count
            try pair.converse()
            for event in pair.clientEvents.dropFirst(seenByClient) {
                guard case .streamClosed = event else { continue }
                closed += 1
                if waiting > 0 {
                    _ = try pair.push()
                    waiting -= 1
                }
            }
            seenByClient = pair.clientEvents.count
        }
        #expect(Set(pair.requested).count == 300)
        #expect(pair.client.openStreams.isEmpty)
        #expect(pair.server.openStreams.isEmpty)
    }

    @Test("Both sides know their open streams")
    func openStreams() throws {
        let pair = try HTTP2Pair()
        try pair.converse()
        let first = try pair.push()
        let second = try pair.push()
        try pair.converse()
        #expect(pair.client.openStreams == [first, second])
        #expect(pair.server.openStreams == [first, second])
        try pair.answer(first)
        try pair.converse()
        #expect(pair.client.openStreams == [second])
        #expect(pair.server.openStreams == [second])
    }
}
