import APNs
import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("How many connections are opened, whatever the server does")
struct ConnectionCountTests {
    @Test("a server that says GOAWAY each time and doesn't answer has no more than eight at once")
    func unansweredGoAways() throws {
        let bench = try LoopBench(phones: 20)
        bench.apple.requested = { request in
            if request.connection.requests.count == 1 { return request.answer() }
            if request.connection.requests.count == 2 { request.connection.goAway(last: request.stream) }
        }
        var most = 0
        let end = bench.time.boot + .seconds(20)
        try bench.run(until: "twenty seconds") {
            most = max(most, bench.apple.openConnections.count)
            return bench.time.boot > end
        }
        #expect(most == 2 * ConnectionDemand.most)
        #expect(bench.dispatcher.inHand == most)
        bench.apple.requested = { $0.answer() }
        try bench.run(until: "everything sent", within: .seconds(600)) { try bench.ended(.sent) == 400 }
    }

    @Test("a server that takes one wake on each connection gets thirty of them at once and then one a second")
    func oneWakeEach() throws {
        let bench = try LoopBench(phones: 10)
        bench.apple.requested = { request in
            if request.connection.requests.count == 1 { return request.answer() }
            request.answer(429, reason: "TooManyProviderTokenUpdates")
        }
        try bench.run(for: .seconds(60))
        #expect(bench.apple.connections.count > 80)
        #expect(bench.apple.connections.count <= 92)
        try bench.run(until: "everything sent", within: .seconds(150)) { try bench.ended(.sent) == 200 }
        #expect(bench.told("paused").isEmpty)
    }

    @Test("a busy server whose streams are always full gets a second connection, not only one that stalls")
    func busy() throws {
        let bench = try LoopBench(phones: 250)
        var held: [ScriptedApple.Request] = []
        bench.apple.connected = { $0.streamsOnceAccepted = 10 }
        bench.apple.requested = { request in
            if request.connection.requests.count < 3 { request.answer() } else { held.append(request) }
        }
        bench.time.longestJump = .milliseconds(1)
        let start = bench.time.boot
        try bench.run(until: "a second connection", within: .seconds(5)) {
            if !held.isEmpty { held.removeFirst().answer() }
            return bench.apple.connections.count == 2
        }
        #expect(bench.time.boot > start + .seconds(1))
        #expect(bench.apple.requests.count > 400)
    }

    @Test("a second connection that can't be had is tried once a minute and pauses nobody")
    func secondRefused() throws {
        let bench = try LoopBench(phones: 250)
        var held: [(request: ScriptedApple.Request, at: Duration)] = []
        bench.apple.connected = { connection in
            connection.streamsOnceAccepted = 10
            if connection.number > 1 { connection.abort() }
        }
        bench.apple.requested = { request in
            if request.number < 3 { request.answer() } else { held.append((request, bench.time.boot)) }
        }
        let end = bench.time.boot + .seconds(150)
        try bench.run(until: "two minutes and a half") {
            while let first = held.first, bench.time.boot > first.at + .milliseconds(1500) {
                first.request.answer()
                held.removeFirst()
            }
            return bench.time.boot > end
        }
        #expect(bench.told("paused").isEmpty)
        #expect(bench.told("a further connection was of no use").count == 3)
        #expect(bench.apple.connections.count == 4)
        #expect(bench.apple.openConnections.map(\.number) == [1])
        #expect(try bench.ended(.sent) > 500)
    }
}
