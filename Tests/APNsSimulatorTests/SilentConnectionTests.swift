import Foundation
import HTTP2
import JSON
import Posix
import TestSupport
import Testing

@testable import APNsSimulatorCommand

@Suite("Scripted connections that say or hear nothing")
struct SilentConnectionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func simulator(_ lines: String...) throws -> SimulatedApple {
        try SimulatedApple(in: directory, script: lines)
    }

    @Test("Silence takes requests and answers nothing, no PING either")
    func silence() throws {
        let simulator = try simulator("connection 1 = streams 5, answer 1, silence")
        let client = try simulator.client()
        #expect(try simulator.status(for: client) == "200")
        try client.submit(simulator.request())
        try client.http2.submitPing([7])
        try client.send()
        let requests = try simulator.waitForRequests(2)
        #expect(requests[1].record["status"] == .null)
        simulator.program.send(SIGTERM)
        let silence = try #require(throws: TestClient.Silence.self) { try client.wait { _ in Bool?.none } }
        #expect(!silence.events.contains(.pingAcknowledged([7, 0, 0, 0, 0, 0, 0, 0])))
    }

    @Test("After a silence what was held back comes, but for the answers")
    func afterSilence() throws {
        let simulator = try simulator("connection 1 = streams 5, answer 1, silence 1ms, refuse 1, answer")
        let client = try simulator.client()
        #expect(try simulator.status(for: client) == "200")
        try simulator.program.waitForLine(containing: #""step":"refuse 1""#)
        #expect(try client.waitForClose(client.submit(simulator.request())) == .refusedStream)
        #expect(try simulator.status(for: client) == "200")
    }

    @Test("Silence from the start keeps back SETTINGS too")
    func noSettings() throws {
        let simulator = try simulator("connection 1 = silence 1ms, answer", "connection 2 = silence")
        let first = try simulator.client()
        try first.wait { _ in first.streamLimits.isEmpty ? nil : true }
        let second = try simulator.client()
        try second.submit(simulator.request())
        try second.send()
        try simulator.waitForRequests(1)
        simulator.program.send(SIGTERM)
        let silence = try #require(throws: TestClient.Silence.self) { try second.wait { _ in Bool?.none } }
        #expect(silence.events.isEmpty)
    }

    @Test("Who stops reading takes in what came when it reads again")
    func stopsReading() throws {
        let simulator = try simulator("connection 1 = streams 5, stop-reading 200ms, answer")
        let client = try simulator.client()
        #expect(try simulator.status(for: client) == "200")
        try simulator.program.waitForLine(containing: #""event":"stop-reading""#)
    }

    @Test("A connection that hangs says nothing at all, and others are served")
    func hang() throws {
        let simulator = try simulator("connection 1 = hang")
        let silent = try TestClient.connected(UInt16(simulator.port))
        let client = try simulator.client()
        #expect(try simulator.status(for: client) == "200")
        var patience = timeval(tv_sec: 0, tv_usec: 1)
        setsockopt(
            silent.rawValue, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        #expect(throws: (any Error).self) { try silent.read(upTo: 1) }
    }

    @Test(
        "A client that goes is noticed, whatever the connection does with it",
        arguments: ["answer", "silence", "stop-reading", "ignore"])
    func gone(script: String) throws {
        let simulator = try simulator("connection 1 = streams 5, refuse 1, \(script)")
        do {
            let client = try simulator.client()
            #expect(try client.waitForClose(client.submit(simulator.request())) == .refusedStream)
            // Left unread where nothing is read.
            try client.submit(simulator.request())
            try client.send()
        }
        let line = try simulator.program.waitForLine(containing: #""event":"closed""#)
        #expect(try JSONParser.parse(Array(line.utf8))["by"] == .string("client"))
    }

    @Test("However many clients a connection leaves hanging, those that went make room for the next")
    func hangingAndGone() throws {
        let simulator = try simulator("connection 1-300 = hang")
        // More than are served at once.
        for _ in 1...300 { _ = try TestClient.connected(UInt16(simulator.port)) }
        let client = try simulator.client()
        #expect(try simulator.status(for: client) == "200")
        try simulator.program.waitForOutput("every end") { output in
            output.components(separatedBy: #""event":"closed""#).count > 300 ? true : nil
        }
    }
}
