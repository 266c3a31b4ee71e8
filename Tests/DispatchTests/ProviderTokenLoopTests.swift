import HTTP2
import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("The provider token on the wire")
struct ProviderTokenLoopTests {
    private func tokens(_ bench: LoopBench) -> Set<String> { Set(bench.apple.requests.map(\.providerToken)) }

    @Test("Hazard 45: three topics, two environments and many wakes at once share one provider token")
    func oneToken() throws {
        let bench = try LoopBench()
        var phone = 0
        for topic in ["com.example.Mail", "com.example.Notes", "com.example.Other"] {
            for environment in ["production", "sandbox"] {
                phone += 1
                try bench.register(phone, environment: environment, topic: topic)
                try bench.insert(20, for: phone)
            }
        }
        try bench.run(until: "everything sent", within: .seconds(60)) { try bench.ended(.sent) == 120 }
        #expect(tokens(bench).count == 1)
    }

    @Test("Hazard 53: over three hours no token is older than an hour, and few are signed")
    func threeHours() throws {
        let bench = try LoopBench()
        try bench.register(1)
        for minute in 0..<18 {
            try bench.insert(for: 1, first: minute + 1)
            try bench.run(for: .seconds(600))
        }
        #expect(try bench.ended(.sent) == 18)
        #expect(tokens(bench).count == 4)
    }

    @Test("Hazard 47: after a sleep of ninety minutes the next request has a new token")
    func sleep() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(for: 1)
        try bench.run(until: "the first sent") { try bench.ended(.sent) == 1 }
        bench.sleep(.seconds(90 * 60))
        try bench.insert(for: 1, first: 2)
        try bench.run(until: "the second sent") { try bench.ended(.sent) == 2 }
        #expect(tokens(bench).count == 2)
    }

    @Test("Hazard 34: an expired token is replaced once, and what came with it goes out by a new connection")
    func expired() throws {
        let bench = try LoopBench()
        for phone in 1...3 {
            try bench.register(phone)
            try bench.insert(for: phone)
        }
        try bench.run(until: "the first ones sent") { try bench.ended(.sent) == 3 }
        bench.sleep(.seconds(21 * 60))
        let old = tokens(bench)
        for phone in 1...3 { try bench.insert(16, for: phone, first: 10) }
        bench.apple.requested = { request in
            if old.contains(request.providerToken) {
                request.answer(403, reason: "ExpiredProviderToken")
                request.connection.limit(1)
            } else {
                request.answer()
            }
        }
        try bench.run(until: "everything sent", within: .seconds(60)) { try bench.ended(.sent) == 51 }
        #expect(tokens(bench).count == 2)
        #expect(bench.apple.connections.count == 2)
        #expect(bench.told("paused").isEmpty)
    }

    @Test(
        "an expired token that is too new to be replaced pauses the lane until that is allowed, and isn't tried before"
    )
    func expiredTooNew() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(for: 1)
        var first: String?
        bench.apple.requested = { request in
            first = first ?? request.providerToken
            if request.providerToken == first {
                request.answer(403, reason: "ExpiredProviderToken")
            } else {
                request.answer()
            }
        }
        try bench.run(until: "the wake sent", within: .seconds(3600)) { try bench.ended(.sent) == 1 }
        #expect(tokens(bench).count == 2)
        #expect(bench.told("paused, 403 ExpiredProviderToken").count >= 1)
        #expect(bench.apple.requests.count == 2)
    }

    @Test("Hazard 44: TooManyProviderTokenUpdates mints nothing, and the next connection has the same token")
    func tooManyUpdates() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(5, for: 1)
        bench.apple.requested = { request in
            if request.connection.number == 1 {
                request.answer(429, reason: "TooManyProviderTokenUpdates")
            } else {
                request.answer()
            }
        }
        try bench.run(until: "everything sent", within: .seconds(60)) { try bench.ended(.sent) == 5 }
        #expect(tokens(bench).count == 1)
        #expect(bench.apple.connections.count == 2)
    }

    @Test("Hazard 48: a clock an hour ahead mints once in 20 minutes at most, and the log names the clock")
    func clockAhead() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(for: 1)
        bench.apple.requested = { request in
            let truth = bench.wall.advanced(by: .seconds(-3600))
            request.answer(
                403, body: Array(#"{"reason":"InvalidProviderToken"}"#.utf8),
                headers: [HeaderField("date", httpDate(truth))])
        }
        try bench.run(for: .seconds(3600))
        #expect(tokens(bench).count <= 4)
        #expect(try bench.due().map(\.attempts) == [0])
        #expect(bench.told("clock").count >= 1)
        #expect(bench.metrics.contains("doorbell_dispatch_clock_skew_seconds 36"))
    }
}
