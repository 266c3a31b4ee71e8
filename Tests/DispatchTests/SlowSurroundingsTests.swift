import Foundation
import Posix
import Queue
import SQLite
import Settings
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("dispatch while something around it hangs")
struct SlowSurroundingsTests {
    @Test(
        "Hazard 98: a name server that never answers keeps neither the other lane, nor counters, nor SIGTERM waiting",
        Requires.root)
    func hangingNames() throws {
        let installation = try Installation()
        let resolver = try SilentResolver(in: installation.directory)
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.register(0xA2, environment: "sandbox")
        try queue.insert()
        var environment = installation.environment
        environment["DOORBELL_APNS_HOST"] =
            "production=push.example.com:443,sandbox=127.0.0.1:\(installation.apple.port)"
        let dispatch = try resolver.start(
            try BuiltProgram.path("dispatch"), ["--config", installation.configuration],
            environment: environment)
        #expect(resolver.hears())
        try dispatch.waitForLine(containing: ": sent, accepted")
        try dispatch.waitForLine("the counters with the wake that was sent") { _ in
            (try? installation.metrics(of: "dispatch"))?.contains(#"result="sent""#) == true ? true : nil
        }
        dispatch.send(SIGTERM)
        #expect(try dispatch.waitForEnd() == .exited(0))
        #expect(try queue.due().map(\.attempts) == [0])
    }

    @Test("A queue that somebody locks for 30 seconds keeps neither PING nor the counters waiting")
    func lockedQueue() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(2, for: 1)
        bench.apple.requested = { request in
            // The second one is never answered, and the connection says nothing more.
            if bench.apple.requests.isEmpty { request.answer() } else { request.connection.isSilent = true }
        }
        try bench.run(until: "a silent connection") { bench.apple.connections.last?.isSilent == true }
        let holder = try Connection(
            path: bench.dispatcher.configuration.queue.path, busyTimeout: .seconds(5))
        try holder.execute("BEGIN IMMEDIATE")
        let lockedAt = bench.wall
        try bench.run(for: .seconds(30))
        let written = bench.metrics.split(separator: "\n").last {
            $0.contains("last_write_timestamp_seconds")
        }
        let seconds = try #require(written?.split(separator: " ").last.flatMap { Double($0) })
        #expect(seconds > Double(lockedAt.milliseconds) / 1000 + 10)
        #expect(bench.told("nothing heard in time").count == 1)
        #expect(bench.told("another process holds the write lock").count == 1)
        try holder.execute("COMMIT")
        bench.apple.requested = { $0.answer() }
        try bench.run(until: "both sent", within: .seconds(60)) { try bench.ended(.sent) == 2 }
    }
}
