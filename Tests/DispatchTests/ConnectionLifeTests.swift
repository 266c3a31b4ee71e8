import APNs
import HTTP2
import Posix
import TLS
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
        #expect(wire.answers.allSatisfy { $0.answer.summary == "status 200" })
        #expect(wire.apple.requests.count == 500)
        #expect(wire.apple.requests.map(\.openStreams).max() ?? 0 > 1)
        wire.close()
        try wire.run { try wire.peer.ending != nil }
        #expect(wire.closings == [.init(reason: "test", isTrouble: false)])
    }
}
