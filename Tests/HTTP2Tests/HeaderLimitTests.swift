import HTTP2
import Testing

@Suite("HTTP/2 header blocks that are too large")
struct HeaderLimitTests {
    /// A header block that puts a field of 3,900 bytes into the table and then repeats it, for one byte each.
    private func bomb(behind fields: [UInt8], repeating count: Int) -> [UInt8] {
        // Literals with incremental indexing (RFC 7541 section 6.2.1); 3,900 = 127 + 61 + 29 * 128 (section 5.1).
        fields + [0x40, 1, UInt8(ascii: "x"), 0x7F, 0xBD, 0x1D]
            + [UInt8](repeating: UInt8(ascii: "y"), count: 3_900) + [UInt8](repeating: 0xBE, count: count)
    }

    /// HEADERS and CONTINUATION frames, the block cut after so many bytes.
    private func blocks(_ block: [UInt8], stream: UInt8, endStream: Bool = false, cut: Int = 1_000)
        -> [UInt8]
    {
        let pieces = stride(from: 0, to: block.count, by: cut).map { Array(block[$0...].prefix(cut)) }
        return pieces.enumerated().flatMap { index, piece in
            frame(
                type: index == 0 ? 1 : 9,
                flags: (index == pieces.count - 1 ? 4 : 0) | (index == 0 && endStream ? 1 : 0),
                stream: stream,
                piece)
        }
    }

    /// :method POST, :scheme https, :path / and :authority x (RFC 7541 appendix A).
    private let request: [UInt8] = [0x83, 0x87, 0x84, 0x01, 1, UInt8(ascii: "x")]

    @Test("A request whose few bytes stand for many is reset, nothing of it is kept, and the next is served")
    func headerBombToServer() throws {
        let server = try HTTP2Session(role: .server)
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(type: 4, [])
        var events = try server.receive(
            preface + blocks(bomb(behind: request, repeating: 1_000), stream: 1, endStream: true))
        _ = try server.bytesToSend()
        events += server.nextEvents()
        #expect(events.headers(of: 1) == nil)
        #expect(events.last == .streamClosed(1, code: .internalError))
        #expect(server.openStreams.isEmpty)
        // The table is as the block left it: 62 is the long field.
        let next = try server.receive(blocks(request + [0xBE], stream: 3, endStream: true))
        #expect(next.headers(of: 3)?["x"]?.utf8.count == 3_900)
    }

    @Test("A response whose few bytes stand for many ends its request, and the other goes on")
    func headerBombToClient() throws {
        let pair = try HTTP2Pair()
        try pair.converse()
        let first = try pair.push()
        let second = try pair.push()
        try pair.converse()
        var events = try pair.client.receive(
            blocks(bomb(behind: [0x88], repeating: 1_000), stream: UInt8(first)))
        _ = try pair.client.bytesToSend()
        events += pair.client.nextEvents()
        #expect(events == [.streamClosed(first, code: .internalError)])
        events = try pair.client.receive(blocks([0x88], stream: UInt8(second), endStream: true))
        #expect(events.headers(of: second) == [HeaderField(":status", "200")])
    }

    @Test("Informational responses count together: no number of small ones comes to a large one")
    func manyInformationalResponses() throws {
        let pair = try HTTP2Pair()
        let stream = try pair.push()
        try pair.converse()
        // :status 103, then the long field: four of these blocks are less than the bound, five are more.
        let status: [UInt8] = [0x08, 3] + Array("103".utf8)
        let responses =
            blocks(bomb(behind: status, repeating: 0), stream: UInt8(stream))
            + (0..<9).flatMap { _ in blocks(status + [0xBE], stream: UInt8(stream)) }
        var events = try pair.client.receive(responses)
        _ = try pair.client.bytesToSend()
        events += pair.client.nextEvents()
        #expect(events.count { if case .headers = $0 { true } else { false } } == 4)
        #expect(events.last == .streamClosed(stream, code: .internalError))
    }

    @Test("Fields that come to the bound exactly are taken, one byte more isn't", arguments: [0, 1])
    func bound(excess: Int) throws {
        let pair = try HTTP2Pair()
        let pseudo = pushHeaders.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        let value = String(
            repeating: "y", count: HTTP2Session.maximumFieldBytes - pseudo - 33 + excess)
        let stream = try pair.client.submitRequest(pushHeaders + [HeaderField("x", value)], body: [])
        try pair.converse()
        #expect((pair.serverEvents.headers(of: stream) != nil) == (excess == 0))
    }
}
