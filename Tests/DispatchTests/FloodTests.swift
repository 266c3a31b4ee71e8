import APNs
import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("Floods")
struct FloodTests {
    private func answer(_ status: Int, _ reason: String? = nil) -> Answer {
        .response(NotificationResponse(status: status, reason: reason.map { Reason(rawValue: $0) }))
    }

    @Test(
        "Hazard 59: a device that Apple throttles holds up no other, has one try at a time, and its wakes coalesce"
    )
    func throttled() throws {
        var dispatcher = try PaperDispatcher()
        let throttled = try dispatcher.register(1)
        let other = try dispatcher.register(2)
        for folder in 0..<50 {
            try dispatcher.insert((0..<20).map { "\(folder)-\($0)" }, folder: "f\(folder)")
        }
        // Each claim has as many wakes of the one as of the other.
        var sent = 0
        var tries: [Int] = []
        for _ in 0..<3600 {
            let asked = try dispatcher.round {
                $0.id == throttled ? answer(429, "TooManyRequests") : answer(200)
            }
            sent += asked.count { $0 == other }
            tries.append(asked.count { $0 == throttled })
            dispatcher.advance(by: .seconds(1))
            if tries.count == 12 { #expect(sent == 1000) }
        }
        #expect(tries.first ?? 0 > 1)
        #expect(tries.dropFirst().max() == 1)
        // After 2, 8, 32, 128 and 512 s, and then every quarter of an hour.
        #expect((6...9).contains(tries.dropFirst().reduce(0, +)))
        #expect(try dispatcher.ended(.dropped, "superseded") == 950)
        let counts = try dispatcher.store.counts(now: dispatcher.now)
        #expect(counts.queued + counts.deferred == 50)
        // Apple has enough of waiting: the newest of each folder arrives.
        for _ in 0..<1000 {
            _ = try dispatcher.round { _ in answer(200) }
            dispatcher.advance(by: .seconds(1))
        }
        #expect(try dispatcher.ended(.sent, "accepted") == 1050)
    }

    @Test(
        "A mail bomb rings a burst at once and then every ten seconds, and each wake names the one it gave way to"
    )
    func mailBomb() throws {
        var dispatcher = try PaperDispatcher()
        let device = try dispatcher.register(1)
        // Off the whole second, at which what is held comes due.
        dispatcher.advance(by: .milliseconds(300))
        try dispatcher.insert((0..<50).map { "first \($0)" })
        var rung: [Int] = []
        for tenth in 0..<1000 {
            try dispatcher.insert(["\(tenth)"])
            rung.append(try dispatcher.round { _ in answer(200) }.count)
            dispatcher.advance(by: .milliseconds(100))
        }
        #expect(rung[0] == 20)
        #expect(rung.dropFirst().reduce(0, +) == 9)
        let counts = try dispatcher.store.counts(now: dispatcher.now)
        #expect(counts.queued + counts.deferred == 1)
        #expect(try dispatcher.ended(.dropped, "superseded") == 1050 - 29 - 1)
        #expect(try dispatcher.store.devices().map(\.id) == [device])
    }

    @Test("Where one request at a time may be open new mail and retries take turns")
    func oneAtATime() throws {
        let bench = try LoopBench()
        bench.apple.connected = { $0.streamsOnceAccepted = 1 }
        try bench.register(9)
        try bench.insert(for: 9)
        try bench.run(until: "a working lane") { try bench.ended(.sent) == 1 }
        for phone in 1...8 {
            try bench.register(phone)
            try bench.insert(for: phone)
        }
        bench.apple.requested = { $0.answer(500, reason: "InternalServerError") }
        try bench.run(until: "all tried") { try bench.apple.requests.count == 9 && bench.due().isEmpty }
        bench.sleep(.seconds(60))
        try bench.insert(8, for: 9, first: 2)
        bench.apple.requested = { $0.answer() }
        try bench.run(until: "all sent") { try bench.ended(.sent) == 17 }
        let fresh = bench.apple.requests.map { $0.deviceToken.hasSuffix("09") }
        #expect(fresh[9..<17].count { $0 } == 4)
    }

    @Test(
        "Hazard 58: one unknown token among a hundred fails alone, and is removed by the next push that is taken"
    )
    func oneBad() throws {
        var dispatcher = try PaperDispatcher()
        for byte in UInt8(1)...100 { _ = try dispatcher.register(byte) }
        dispatcher.advance(by: .seconds(1))
        try dispatcher.insert(["one"])
        _ = try dispatcher.round(limit: 50) { $0.id == 7 ? answer(400, "BadDeviceToken") : answer(200) }
        #expect(try dispatcher.store.devices().filter { $0.removedAt != nil }.map(\.id) == [7])
        _ = try dispatcher.round { _ in answer(200) }
        #expect(try dispatcher.ended(.sent, "accepted") == 99)
    }
}
