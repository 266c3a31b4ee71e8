import Foundation
import Queue
import TestSupport
import Testing

@Suite("Connections that are of no use")
struct UselessConnectionTests {
    @Test("A server that says goodbye before it has answered, each time, is left alone after two")
    func goodbyeBeforeUse() throws {
        let steps = "streams 20, ignore 1, goaway code=PROTOCOL_ERROR, ignore"
        let installation = try Installation(simulator: ["--answer", "connection * = \(steps)"])
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.insert(20)
        let dispatch = try installation.start("dispatch")
        let line = try dispatch.waitForLine(containing: "lane production com.example.Mail: paused")
        #expect(line.contains("GOAWAY PROTOCOL_ERROR"))
        let connections = installation.apple.program.output.components(separatedBy: #""event":"connected""#)
        #expect(connections.count - 1 == 2)
        #expect(try queue.due().allSatisfy { $0.attempts == 0 })
    }
}
