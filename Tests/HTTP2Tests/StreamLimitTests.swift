import HTTP2
import Testing

@Suite("HTTP/2 stream limits and ends")
struct StreamLimitTests {
    @Test("Hazard 33: One request at most leaves before the server's settings have come")
    func beforeSettings() throws {
        let pair = try HTTP2Pair()
        for _ in 0..<3 { _ = try pair.push() }
        try pair.carryToServer()
        #expect(pair.requested == [1])
        try pair.converse()
        #expect(pair.requested == [1, 3, 5])
    }

    @Test("It is told which requests have left, and which wait for the server's limit")
    func leaving() throws {
        let pair = try HTTP2Pair(serverSettings: [.maximumConcurrentStreams(1)])
        let streams = try (0..<3).map { _ in try pair.push() }
        #expect(streams.map(pair.client.hasLeft) == [false, false, false])
        try pair.converse()
        #expect(streams.map(pair.client.hasLeft) == [true, false, false])
        try pair.answer(1)
        try pair.converse()
        #expect(streams.map(pair.client.hasLeft) == [true, true, false])
        #expect(pair.requested == [1, 3])
    }

    @Test("Requests over the limit leave when the server raises it")
    func raising() throws {
        let pair = try HTTP2Pair(serverSettings: [.maximumConcurrentStreams(1)])
        for _ in 0..<3 { _ = try pair.push() }
        try pair.converse()
        #expect(pair.requested == [1])
        try pair.server.submitSettings([.maximumConcurrentStreams(1_000)])
        try pair.converse()
        #expect(pair.requested == [1, 3, 5])
        let settings = PeerSettings(
            maximumConcurrentStreams: 1_000, headerTableSize: 4_096, maximumHeaderListSize: .max)
        #expect(pair.clientEvents.last == .settings(settings))
    }

    @Test("When the server lowers its limit, new requests wait until enough old ones have ended")
    func lowering() throws {
        let pair = try HTTP2Pair()
        try pair.converse()
        for _ in 0..<3 { _ = try pair.push() }
        try pair.converse()
        try pair.server.submitSettings([.maximumConcurrentStreams(1)])
        try pair.converse()
        let fourth = try pair.push()
        for stream in [Int32(1), 3] { try pair.answer(stream) }
        try pair.converse()
        #expect(!pair.requested.contains(fourth))
        try pair.answer(5)
        try pair.converse()
        #expect(pair.requested.contains(fourth))
    }

    @Test("A server refuses streams over its own limit, and the client is told which")
    func overLimit() throws {
        // The client believes in 100 as the second settings reach it late.
        let pair = try HTTP2Pair()
        try pair.converse()
        for _ in 0..<2 { _ = try pair.push() }
        try pair.server.submitSettings([.maximumConcurrentStreams(1)])
        let settings = try pair.server.bytesToSend()
        try pair.carryToServer()
        _ = try pair.client.receive(settings)
        try pair.converse()
        #expect(pair.outcomes == [.init(stream: 3, end: "REFUSED_STREAM")])
    }

    @Test(
        "RST_STREAM ends its own stream only",
        arguments: [ErrorCode.refusedStream, .streamClosed, .init(rawValue: 99)])
    func reset(code: ErrorCode) throws {
        let pair = try HTTP2Pair()
        try pair.converse()
        let first = try pair.push()
        let second = try pair.push()
        try pair.converse()
        try pair.server.reset(first, code: code)
        try pair.answer(second)
        try pair.converse()
        #expect(pair.clientEvents.contains(.streamClosed(first, code: code)))
        #expect(pair.clientEvents.contains(.streamClosed(second, code: .noError)))
    }

    @Test("A client can reset a stream, and the server stops answering it")
    func clientReset() throws {
        let pair = try HTTP2Pair()
        let stream = try pair.push()
        try pair.converse()
        try pair.client.reset(stream, code: .cancel)
        try pair.converse()
        #expect(pair.serverEvents.last == .streamClosed(stream, code: .cancel))
        #expect(pair.client.openStreams.isEmpty)
    }

    @Test("GOAWAY with a low last id closes the streams above it as refused, and the others go on")
    func goAway() throws {
        let pair = try HTTP2Pair()
        try pair.converse()
        for _ in 0..<3 { _ = try pair.push() }
        try pair.converse()
        let reason = Array(#"{"reason":"Shutdown"}"#.utf8)
        try pair.server.submitGoAway(lastStreamID: 1, code: .noError, data: reason)
        try pair.converse()
        #expect(pair.clientEvents.contains(.goAway(lastStreamID: 1, code: .noError, data: reason)))
        #expect(Set(pair.outcomes.map(\.stream)) == [3, 5])
        #expect(pair.outcomes.allSatisfy { $0.end == "REFUSED_STREAM" })
        #expect(pair.client.openStreams == [1])
        try pair.answer(1)
        try pair.converse()
        #expect(pair.outcomes.last == .init(stream: 1, end: "NO_ERROR"))
    }

    @Test(
        "Hazard 19: Ten requests, two at a time, GOAWAY after the second: ten outcomes, eight to send again")
    func goAwayWithWaitingRequests() throws {
        let pair = try HTTP2Pair(serverSettings: [.maximumConcurrentStreams(2)])
        try pair.converse()
        for _ in 0..<10 { _ = try pair.push() }
        try pair.converse()
        try pair.server.submitGoAway(lastStreamID: 3, code: .noError)
        try pair.answer(1)
        try pair.answer(3)
        try pair.converse()
        #expect(pair.outcomes.count == 10)
        #expect(Set(pair.outcomes.map(\.stream)).count == 10)
        #expect(Set(pair.outcomes.filter { $0.end == "NO_ERROR" }.map(\.stream)) == [1, 3])
        #expect(pair.client.openStreams.isEmpty)
    }

    @Test(
        "After GOAWAY a request is refused at once, and the connection is finished when its last stream ends")
    func afterGoAway() throws {
        let pair = try HTTP2Pair()
        let stream = try pair.push()
        try pair.converse()
        try pair.server.submitGoAway(lastStreamID: stream, code: .noError)
        try pair.converse()
        let error = #expect(throws: HTTP2Error.self) { try pair.push() }
        #expect(error?.code == .startNotAllowed)
        #expect(!pair.client.isFinished)
        try pair.answer(stream)
        try pair.converse()
        #expect(pair.client.isFinished)
    }

    @Test("Hazard 38: Used-up stream ids are an error of their own")
    func streamIDs() throws {
        let pair = try HTTP2Pair()
        try pair.converse()
        try pair.client.skip(toStreamID: .max)
        #expect(try pair.push() == .max)
        let error = #expect(throws: HTTP2Error.self) { try pair.push() }
        #expect(error?.code == .streamIDsExhausted)
    }

    @Test("Hazard 41: An idle connection has nothing to send and isn't finished")
    func idle() throws {
        let pair = try HTTP2Pair()
        let stream = try pair.push()
        try pair.converse()
        try pair.answer(stream)
        try pair.converse()
        for session in [pair.client, pair.server] {
            #expect(try session.bytesToSend().isEmpty)
            #expect(session.nextEvents().isEmpty)
            #expect(!session.isFinished)
        }
    }
}
