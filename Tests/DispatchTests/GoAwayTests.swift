import APNs
import HTTP2
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("A server that says GOAWAY, or refuses streams")
struct GoAwayTests {
    /// A connection with pushes that the server has and doesn't answer.
    private func waiting(_ deliveries: ClosedRange<Int64>) throws -> Wire {
        let wire = try Wire(streams: 100) { $0.requested = { _ in } }
        try wire.open()
        try wire.push(deliveries)
        try wire.run { wire.apple.requests.count == deliveries.count }
        return wire
    }

    @Test("Hazard 8: no stream is opened after GOAWAY, and the next connection may be opened at once")
    func noStreamAfterwards() throws {
        let wire = try Wire()
        try wire.open()
        try wire.push(1...1)
        try wire.run { wire.answers.count == 1 }
        wire.apple.requested = { $0.refuse() }
        try wire.peer.goAway(last: 1)
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.connection.machine.freeStreams == 0)
        #expect(try wire.peer.frames.opened == [1])
        #expect(
            wire.closings == [.init(reason: "127.0.0.1: drained after GOAWAY NO_ERROR", isTrouble: false)])
    }

    @Test("Hazard 8: a server that refuses every stream without GOAWAY is left after two, and is trouble")
    func refusesAll() throws {
        let wire = try Wire()
        try wire.open()
        try wire.push(1...1)
        try wire.run { wire.connection.machine.freeStreams > 1 }
        wire.apple.requested = { $0.refuse() }
        try wire.push(2...20)
        try wire.run { wire.answers.count == 20 }
        #expect(wire.closings.isEmpty)
        #expect(wire.connection.machine.freeStreams == 1)
        try wire.push(21...21)
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.summaries == ["status 200": 1, "not processed": 20])
        #expect(wire.closings.map(\.isTrouble) == [true])
        #expect(wire.closings.map(\.reason) == ["127.0.0.1: every stream is refused"])
    }

    @Test("Hazard 9: what is submitted while GOAWAY is on its way wasn't processed, and nothing fails")
    func crossing() throws {
        let wire = try waiting(1...1)
        try wire.peer.goAway(last: 1)
        try wire.apple.pump()
        try wire.push(2...3)
        try wire.run { wire.answers.count == 2 }
        // Once it is known, a request that comes all the same ends likewise.
        try wire.push(4...4)
        try wire.run { wire.answers.count == 3 }
        #expect(wire.summaries == ["not processed": 3])
        #expect(wire.closings.isEmpty)
        wire.apple.requests[0].answer()
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.summary(1) == "status 200")
    }

    @Test("Hazard 11: a connection is out of use from its GOAWAY on, and closes with its last answer")
    func outOfUse() throws {
        let wire = try waiting(1...3)
        try wire.peer.goAway(last: .max)
        try wire.run { wire.connection.machine.isRetired }
        #expect(wire.connection.machine.freeStreams == 0)
        try wire.pass(.seconds(5))
        for request in wire.apple.requests { request.answer() }
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.summaries == ["status 200": 3])
        try wire.run("the socket's end") { try wire.peer.ending != nil }
    }

    @Test("Hazard 15: GOAWAY with an error code gives every request back at once")
    func calm() throws {
        let wire = try waiting(1...10)
        try wire.peer.goAway(last: 0, code: .enhanceYourCalm)
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.summaries == ["not processed": 10])
        #expect(wire.closings.map(\.reason) == ["127.0.0.1: drained after GOAWAY ENHANCE_YOUR_CALM"])
        #expect(wire.closings.map(\.isTrouble) == [true])
    }

    @Test("Hazard 16: the first GOAWAY of a graceful end says no more streams, later ones say which are lost")
    func graceful() throws {
        let wire = try waiting(1...4)
        try wire.peer.goAway(last: .max)
        try wire.run { wire.connection.machine.isRetired }
        #expect(wire.answers.isEmpty)
        try wire.peer.goAway(last: 5)
        try wire.run { wire.answers.count == 1 }
        try wire.peer.goAway(last: 3)
        try wire.run { wire.answers.count == 2 }
        #expect(wire.summary(4) == "not processed")
        #expect(wire.summary(3) == "not processed")
        for request in wire.apple.requests.prefix(2) { request.answer() }
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.summaries == ["status 200": 2, "not processed": 2])
    }

    @Test("Hazard 19: ten requests where two are allowed, then GOAWAY: ten outcomes, none twice")
    func queued() throws {
        let wire = try Wire(streams: 2) { $0.requested = { _ in } }
        try wire.open()
        try wire.push(1...10)
        try wire.run { wire.apple.requests.count == 2 }
        try wire.peer.goAway(last: 3)
        for request in wire.apple.requests { request.answer() }
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.summaries == ["status 200": 2, "not processed": 8])
        #expect(wire.answers.map(\.delivery).sorted() == Array(1...10))
    }

    @Test("Hazard 28: the reason in a GOAWAY is told, before and after the end")
    func reason() throws {
        let wire = try waiting(1...1)
        try wire.peer.goAway(last: 1, data: #"{"reason":"BadCertificate"}"#)
        try wire.run { wire.connection.goAwayReason != nil }
        wire.apple.requests[0].answer(403, reason: "BadCertificate")
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.closings.map(\.goAwayReason) == [Reason(rawValue: "BadCertificate")])
        #expect(wire.closings.map(\.reason) == ["127.0.0.1: drained after GOAWAY NO_ERROR, BadCertificate"])
    }

    @Test(
        "GOAWAY data that names no reason harms nothing",
        arguments: [
            "", "Maximum active streams violated", "{", #"{"reason":7}"#,
            String(repeating: "x", count: 16_000),
        ])
    func noReason(data: String) throws {
        let wire = try waiting(1...2)
        try wire.peer.goAway(last: 1, data: data)
        wire.apple.requests[0].answer()
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.summaries == ["status 200": 1, "not processed": 1])
        #expect(wire.closings.map(\.goAwayReason) == [nil])
    }

    @Test("A GOAWAY frame longer than any may be ends the connection, and every request once")
    func oversized() throws {
        let wire = try waiting(1...3)
        let data = [UInt8](repeating: 0, count: 65_536)
        try wire.peer.send(FrameScanner.Frame(type: 7, flags: 0, stream: 0).bytes(data))
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.summaries == ["connection lost": 3])
        #expect(wire.closings.map(\.reason) == ["127.0.0.1: HTTP/2 FRAME_SIZE_ERROR"])
    }

    @Test("After GOAWAY a request without an answer is unknown when its time is over")
    func unanswered() throws {
        let wire = try waiting(1...2)
        let peer = try wire.peer
        peer.goAway(last: 3)
        try wire.run { wire.connection.machine.isRetired }
        for second in 1...29 {
            try wire.pass(.seconds(1))
            if second % 10 == 0 { try wire.exchange() }
        }
        #expect(wire.answers.isEmpty)
        try wire.pass(.seconds(1))
        #expect(wire.answers.count == 2)
        #expect(wire.answers.allSatisfy { $0.answer.disposition.delivery == .deferred(charged: true) })
    }
}
