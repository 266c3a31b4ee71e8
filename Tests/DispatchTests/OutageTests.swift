import Posix
import Queue
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("An outage of Apple's, rehearsed by a clock of its own")
struct OutageTests {
    /// 250 phones with 20 wakes each, as many as may go at once.
    private static let phones = 250

    private func bench(expiration: String = "24h") throws -> LoopBench {
        let bench = try LoopBench(queue: #"expiration = "\#(expiration)""#)
        for phone in 1...Self.phones { try bench.register(phone) }
        return bench
    }

    @Test("ten minutes without a server: 5,000 wakes wait uncharged, one connection probes, and all are sent")
    func refused() throws {
        let bench = try bench()
        bench.apple.goDown()
        for phone in 1...Self.phones { try bench.insert(20, for: phone) }
        try bench.run(for: .seconds(600))
        #expect(try bench.due().count == 5000)
        #expect(try bench.due().allSatisfy { $0.attempts == 0 })
        #expect(bench.log.contains { $0.contains("paused") && $0.contains("refused") })
        // Twelve minutes of one second doubling to a minute.
        #expect(bench.log.filter { $0.contains("paused") }.count <= 20)

        var openAtOnce = 0
        bench.apple.connected = { _ in openAtOnce = max(openAtOnce, bench.apple.openConnections.count) }
        try bench.apple.comeBack()
        try bench.run(until: "everything sent", within: .seconds(120)) { try bench.ended(.sent) == 5000 }
        #expect(openAtOnce == 1)
        #expect(bench.apple.requests.count == 5000)
        #expect(bench.log.contains { $0.contains("sending again") })
    }

    @Test("a server that answers 503 for ten minutes is asked for one wake at a time and charges one")
    func overloaded() throws {
        let bench = try bench()
        for phone in 1...Self.phones { try bench.insert(20, for: phone) }
        bench.apple.requested = { $0.answer(503, reason: "ServiceUnavailable") }
        var (connections, inHand) = (0, 0)
        let end = bench.time.boot + .seconds(600)
        try bench.run(until: "ten minutes") {
            connections = max(connections, bench.connectionsInUse)
            inHand = max(inHand, bench.dispatcher.inHand)
            return bench.time.boot > end
        }
        #expect(connections == 1)
        #expect(inHand == 1)
        // The one before the first pause: what only probes is uncharged.
        #expect(try bench.due(within: .seconds(7200)).map(\.attempts).reduce(0, +) == 1)
        // Ten in a row open the breaker; after that only probes ask.
        #expect(bench.apple.requests.count <= 30)
        #expect(try bench.ended(.failed) == 0)

        bench.apple.requested = { $0.answer() }
        try bench.run(until: "everything sent", within: .seconds(3600)) { try bench.ended(.sent) == 5000 }
    }

    @Test("a wake at which the servers fail each time keeps its lane from opening no longer than one probe")
    func poison() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.register(2)
        bench.apple.requested = { request in
            guard request.deviceToken.hasSuffix("01") else { return request.answer() }
            request.answer(500, reason: "InternalServerError")
        }
        try bench.insert(for: 1)
        try bench.run(until: "a pause") { bench.told("paused, 500").count == 1 }
        try bench.insert(for: 2)
        try bench.run(until: "the other wake sent", within: .seconds(60)) { try bench.ended(.sent) == 1 }
        #expect(bench.told("sending again").count == 1)
    }

    @Test(
        "Hazard 84: a pause has the reason of the answer that caused it, also where the connection goes for it",
        arguments: [
            (500, "InternalServerError"), (429, "TooManyProviderTokenUpdates"), (503, "Shutdown"),
            (403, "UnrelatedKeyIdInToken"), (403, "ExpiredProviderToken"), (400, "IdleTimeout"),
        ])
    func reason(status: Int, reason: String) throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(for: 1)
        bench.apple.requested = { $0.answer(status, reason: reason) }
        try bench.run(until: "a pause", within: .seconds(60)) { !bench.told("paused").isEmpty }
        #expect(bench.told("paused").allSatisfy { $0.contains("\(status) \(reason)") })
    }

    @Test("wakes that outlive their expiration during an outage end as expired, the others are sent")
    func expired() throws {
        let bench = try bench(expiration: "10m")
        bench.apple.goDown()
        for phone in 1...50 { try bench.insert(20, for: phone) }
        try bench.run(for: .seconds(400))
        for phone in 51...100 { try bench.insert(20, for: phone) }
        try bench.run(for: .seconds(300))
        try bench.apple.comeBack()
        try bench.run(until: "every wake at its end", within: .seconds(600)) {
            try bench.ended(.sent) + bench.ended(.expired) == 2000
        }
        #expect(try bench.ended(.expired) == 1000)
        #expect(bench.apple.requests.count == 1000)
    }

    @Test("Hazard 77: while a lane is paused its trouble, reason and next try are there to be read")
    func visible() throws {
        let bench = try bench()
        bench.apple.requested = { $0.answer(403, reason: "InvalidProviderToken") }
        try bench.insert(for: 1)
        try bench.run(until: "a pause", within: .seconds(30)) { bench.log.contains { $0.contains("paused") } }
        try bench.run(for: .seconds(2))
        let paused = #"lane_paused{environment="production",topic="com.example.Mail",trouble="refused"} 1"#
        #expect(bench.metrics.contains(paused))
        let status = try ReplacedFile.read(bench.directory.file("state/dispatch.status"), upTo: 10_000)
        let text = String(decoding: status, as: UTF8.self)
        #expect(text.contains(#""reason":"403 InvalidProviderToken""#))
        #expect(text.contains(#""next_try":"#))
    }
}
