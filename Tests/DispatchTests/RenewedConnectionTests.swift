import HTTP2
import Posix
import Queue
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("Wakes whose connections come and go")
struct RenewedConnectionTests {
    @Test("Hazard 13: a GOAWAY after every 500 streams costs no wake and charges none that wasn't looked at")
    func manyGoAways() throws {
        let bench = try LoopBench(phones: 250)
        var answered: [ObjectIdentifier: Int] = [:]
        bench.apple.requested = { request in
            let connection = request.connection
            answered[ObjectIdentifier(connection), default: 0] += 1
            request.answer()
            if answered[ObjectIdentifier(connection)] == 500 { connection.goAway(last: request.stream) }
        }
        try bench.run(until: "everything sent", within: .seconds(600)) { try bench.ended(.sent) == 5000 }
        let ids = bench.apple.requests.compactMap { $0.headers["apns-id"] }
        #expect(Set(ids).count == 5000)
        #expect(bench.apple.connections.count >= 10)
        // One in twenty stands for all: a look for one reads the whole queue.
        for (index, id) in ids.enumerated() where index.isMultiple(of: 20) {
            #expect(try bench.store.trace(apnsID: id)?.attempts == 1)
        }
    }

    @Test("Hazard 14: connections that close at random lose no wake")
    func randomCloses() throws {
        let bench = try LoopBench(phones: 100)
        var random = SplitMix(state: 14)
        var left = 50
        bench.apple.connected = { $0.streamsOnceAccepted = 200 }
        bench.apple.requested = { request in
            request.answer()
            left -= 1
            if left == 0 {
                left = Int.random(in: 50...150, using: &random)
                // A reset takes the answers with it that are still to be sent.
                if Int.random(in: 1...4, using: &random) > 1 {
                    request.connection.close()
                } else {
                    request.connection.abort()
                }
            }
        }
        try bench.run(until: "everything sent", within: .seconds(3600)) { try bench.ended(.sent) == 2000 }
        #expect(try bench.ended(.failed) == 0)
    }

    @Test("Hazard 37: what is in hand is bounded by the streams, however much waits")
    func boundedClaims() throws {
        let bench = try LoopBench(phones: 250)
        bench.apple.requested = { _ in }
        try bench.run(for: .seconds(5))
        #expect(bench.dispatcher.inHand <= 1)
        bench.apple.requested = { if $0.number < 3 { $0.answer() } }
        let end = bench.time.boot + .seconds(60)
        var most = 0
        try bench.run(until: "a minute without answers") {
            most = max(most, bench.dispatcher.inHand)
            return bench.time.boot > end
        }
        #expect(most >= 500)
        #expect(most <= 500 * ConnectionDemand.most)
    }

    @Test("what a server took before it refused all others is answered and not sent again")
    func refusingAndAnswering() throws {
        let bench = try LoopBench(phones: 5)
        var taken: [(request: ScriptedApple.Request, at: Duration)] = []
        bench.apple.requested = { request in
            let place = request.connection.requests.count
            if request.connection.number > 1 || place == 1 { return request.answer() }
            if place > 11 { return request.refuse() }
            taken.append((request, bench.time.boot))
        }
        try bench.run(until: "everything sent", within: .seconds(60)) {
            for one in taken where bench.time.boot > one.at + .seconds(2) { one.request.answer() }
            return try bench.ended(.sent) == 100
        }
        #expect(taken.count == 10)
        let again = bench.apple.requests.filter { $0.connection.number > 1 }.map { $0.headers["apns-id"] }
        #expect(Set(again).isDisjoint(with: taken.map { $0.request.headers["apns-id"] }))
        #expect(bench.told("paused").isEmpty)
        #expect(bench.apple.connections.count == 2)
    }

    @Test("a 200 counts though its stream never ends: the wake is sent once")
    func acceptedWithoutEnd() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(for: 1)
        // HEADERS that end the fields and not the stream; 0x88 is `:status 200` (RFC 7541 appendix A).
        bench.apple.requested = { $0.connection.send([0, 0, 1, 1, 4, 0, 0, 0, UInt8($0.stream), 0x88]) }
        try bench.run(until: "the wake sent", within: .seconds(60)) { try bench.ended(.sent) == 1 }
        try bench.run(for: .seconds(3600))
        #expect(bench.apple.requests.count == 1)
        #expect(bench.told("paused").isEmpty)
    }

    @Test("Hazard 28: a GOAWAY that names a fault of ours pauses the lane with its reason")
    func badCertificate() throws {
        let bench = try LoopBench(phones: 1)
        bench.apple.requested = { request in
            request.connection.goAway(last: 0, data: #"{"reason":"BadCertificate"}"#)
        }
        try bench.run(until: "a pause", within: .seconds(60)) { !bench.told("paused").isEmpty }
        #expect(bench.told("BadCertificate").count >= 1)
        #expect(try bench.due().allSatisfy { $0.attempts == 0 })
    }

    @Test(
        "Hazard 75: a connection that ends twice is gone once, and the row has the true reason of its last try"
    )
    func lostTwice() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(for: 1)
        var lost: [APNsConnection] = []
        bench.apple.requested = { request in
            if request.number == 1 {
                request.answer(500, reason: "InternalServerError")
            } else {
                lost = bench.dispatcher.lanes.values.flatMap(\.connections)
                request.connection.abort()
            }
        }
        try bench.run(until: "the second try, settled") { !lost.isEmpty && bench.dispatcher.inHand == 0 }
        #expect(bench.dispatcher.lanes.values.allSatisfy { $0.connections.isEmpty })
        #expect(lost.allSatisfy { $0.close(reason: "again").isEmpty })
        let id = try #require(bench.apple.requests.last?.headers["apns-id"])
        let trace = try #require(try bench.store.trace(apnsID: id))
        #expect(trace.reason == "connection lost")
        #expect(trace.attempts == 2)
        #expect(bench.told("deferred, InternalServerError").count == 1)
    }

    @Test("a connection that has been full for a second gets another beside it, and both stay")
    func secondConnection() throws {
        let bench = try LoopBench(phones: 100)
        var held: [ScriptedApple.Request] = []
        bench.apple.connected = { $0.streamsOnceAccepted = 10 }
        bench.apple.requested = { request in
            if request.connection.requests.count < 3 { request.answer() } else { held.append(request) }
        }
        try bench.run(until: "a second connection", within: .seconds(20)) {
            bench.apple.connections.count == 2
        }
        for request in held { request.answer() }
        bench.apple.requested = { $0.answer() }
        try bench.run(until: "everything sent", within: .seconds(600)) { try bench.ended(.sent) == 2000 }
        try bench.run(for: .seconds(1800))
        #expect(bench.apple.openConnections.count == bench.apple.connections.count)
    }
}
