import APNs
import HTTP2
import Posix
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("A connection's life, against a scripted server")
struct ConnectionLifeTests {
    @Test("Pushes are answered, one at first and many after the first 200")
    func exchange() throws {
        let wire = try Wire()
        try wire.open()
        #expect(wire.connection.machine.freeStreams == 1)
        try wire.push(1...1)
        try wire.run { wire.connection.machine.freeStreams == 500 }
        try wire.push(2...500)
        try wire.run { wire.answers.count == 500 }
        #expect(wire.summaries == ["status 200": 500])
        #expect(wire.apple.requests.count == 500)
        #expect(wire.apple.requests.map(\.openStreams).max() ?? 0 > 1)
        wire.close()
        try wire.run { try wire.peer.ending != nil }
        #expect(wire.closings == [.init(reason: "test", isTrouble: false)])
    }

    @Test(
        "Hazard 1: a server that has fallen silent is asked after 10 s and left after 20, in time for another"
    )
    func silent() throws {
        let wire = try Wire()
        try wire.open()
        try wire.push(1...1)
        try wire.run { wire.answers.count == 1 }
        let dead = try wire.peer
        dead.isSilent = true
        try wire.push(2...2)
        try wire.pass(.seconds(9))
        try wire.run("the request") { dead.requests.count == 2 }
        #expect(dead.frames.pings == 0)
        try wire.pass(.seconds(1))
        try wire.run("a PING") { dead.frames.pings == 1 }
        try wire.pass(.seconds(9))
        #expect(wire.closings.isEmpty)
        try wire.pass(.seconds(1))
        #expect(wire.closings.map(\.reason) == ["127.0.0.1: nothing heard in time"])
        #expect(wire.summary(2) == "connection lost")
        try wire.reconnect()
        try wire.open()
        try wire.push(2...2)
        try wire.run { wire.answers.count == 3 }
        #expect(wire.answers.last?.answer.summary == "status 200")
    }

    @Test("Hazard 2: a server that never ends the handshake has 20 seconds, and is trouble")
    func noHandshake() throws {
        let wire = try Wire { $0.connected = { $0.isReading = false } }
        try wire.run { wire.apple.connections.count == 1 }
        try wire.pass(.seconds(19))
        #expect(wire.closings.isEmpty)
        try wire.pass(.seconds(1))
        #expect(wire.closings == [.init(reason: "127.0.0.1: no connection in time", isTrouble: true)])
        #expect(wire.connection.nextTimer == nil)
    }

    @Test("Hazard 5: an idle connection that is cut is noticed by itself, and costs no delivery anything")
    func cutWhileIdle() throws {
        let wire = try Wire()
        try wire.open()
        try wire.push(1...1)
        try wire.run { wire.answers.count == 1 }
        try wire.peer.abort()
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.closings.map(\.isTrouble) == [false])
        #expect(wire.summaries == ["status 200": 1])
    }

    @Test("Hazard 7: a request that a vanished server took is never sent, only unknown")
    func vanished() throws {
        let wire = try Wire { $0.requested = { $0.connection.isSilent = true } }
        try wire.open()
        try wire.push(1...1)
        try wire.run { wire.apple.requests.count == 1 }
        for _ in 0..<40 { try wire.pass(.seconds(1)) }
        #expect(wire.summaries == ["connection lost": 1])
        #expect(wire.closings.map(\.isTrouble) == [true])
    }

    @Test("Hazard 22: a connection that is cut with a hundred requests open gives each back once, at once")
    func cutWhileBusy() throws {
        let wire = try Wire(streams: 100) { $0.requested = { _ in } }
        try wire.open()
        try wire.push(1...100)
        try wire.run { wire.apple.requests.count == 100 }
        try wire.peer.abort()
        try wire.run("the end") { wire.closings.count == 1 }
        wire.close()
        #expect(wire.summaries == ["connection lost": 100])
        #expect(Set(wire.answers.map(\.delivery)).count == 100)
    }

    @Test("Hazard 26: twenty openings that fail leave nothing behind, and the next one works")
    func refusedOften() throws {
        let wire = try Wire { $0.connected = { $0.abort() } }
        for attempt in 1...20 {
            try wire.run("the end of attempt \(attempt)") { wire.closings.count == attempt }
            #expect(wire.connection.nextTimer == nil)
            weak let failed = wire.connection
            if attempt == 20 { wire.apple.connected = { _ in } }
            try wire.reconnect()
            #expect(failed == nil)
        }
        #expect(wire.closings.allSatisfy { $0.isTrouble })
        try wire.open()
        try wire.push(1...1)
        try wire.run { wire.answers.count == 1 }
        #expect(wire.apple.openConnections.count == 1)
    }

    @Test("Hazard 30: two hundred connections, each used and closed, leave no timer and no socket")
    func noLeaks() throws {
        let wire = try Wire()
        for delivery in Int64(1)...200 {
            try wire.open()
            try wire.push(delivery...delivery)
            try wire.run { wire.answers.count == delivery }
            wire.close()
            #expect(wire.connection.nextTimer == nil)
            weak let used = wire.connection
            try wire.reconnect()
            #expect(used == nil)
        }
        wire.close()
        try wire.run("every connection's end") { wire.apple.openConnections.isEmpty }
        #expect(wire.closings.count == 201)
    }

    @Test("Hazard 31: closed at any moment of its opening, a connection ends at once and once")
    func closedWhileOpening() throws {
        let wire = try Wire()
        for attempt in 0..<100 {
            for _ in 0..<attempt % 10 { try wire.turn(waitingAtMost: .milliseconds(1)) }
            wire.close()
            wire.close()
            #expect(wire.closings.count == attempt + 1)
            try wire.reconnect()
        }
        wire.close()
        try wire.run("every connection's end") { wire.apple.openConnections.isEmpty }
    }

    @Test("Hazard 82: writing to a server that has gone ends the connection, not the program")
    func brokenPipe() throws {
        let wire = try Wire(streams: 100) { $0.requested = { _ in } }
        try wire.open()
        try wire.peer.close()
        try wire.runServer { $0.ending != nil }
        let failure = #expect(throws: APNsConnection.Failure.self) {
            for delivery in Int64(1)...100 { try wire.push(delivery...delivery) }
        }
        wire.close(try #require(failure).reason)
        #expect(wire.answers.allSatisfy { $0.answer.response == nil })
        #expect(Set(wire.answers.map(\.delivery)).count == wire.answers.count)
        #expect(wire.closings.count == 1)
    }

    @Test("An answer that has arrived counts, even where sending fails before it is read")
    func lastAnswer() throws {
        let wire = try Wire(streams: 100) { $0.requested = { if $0.number == 1 { $0.answer() } } }
        try wire.open()
        try wire.push(1...2)
        try wire.runServer { $0.requests.count == 2 }
        try wire.peer.close()
        try wire.runServer { $0.ending != nil }
        #expect(throws: APNsConnection.Failure.self) {
            for delivery in Int64(3)...100 { try wire.push(delivery...delivery) }
        }
        wire.close()
        #expect(wire.summary(1) == "status 200")
        #expect(wire.summary(2) == "connection lost")
    }

    @Test("What never left the machine wasn't processed, however its connection ends")
    func neverSent() throws {
        let wire = try Wire(streams: 2) { $0.requested = { _ in } }
        try wire.open()
        // More than the server allows: nghttp2 keeps the rest.
        try wire.push(1...10)
        try wire.run { wire.apple.requests.count == 2 }
        wire.close()
        #expect(wire.summaries == ["connection lost": 2, "not processed": 8])
    }

    @Test("What never left the machine in half a minute wasn't processed either")
    func neverSentInTime() throws {
        let wire = try Wire(streams: 2) { $0.requested = { _ in } }
        try wire.open()
        try wire.push(1...10)
        for second in 1...30 {
            try wire.pass(.seconds(1))
            if second % 10 == 0 { try wire.exchange() }
        }
        #expect(wire.summaries == ["no answer in time": 2, "not processed": 8])
    }

    @Test("A connection that takes no request any more, and hasn't said so, is out of use with the first one")
    func takesNoMore() throws {
        let wire = try Wire(streams: 100)
        try wire.open()
        try wire.connection.http2.submitGoAway(lastStreamID: 0, code: .noError)
        try wire.connection.flush()
        try wire.push(1...2)
        #expect(wire.connection.machine.isRetired)
        try wire.turn()
        #expect(wire.summaries == ["not processed": 2])
    }
}
