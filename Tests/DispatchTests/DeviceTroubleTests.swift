import APNs
import HTTP2
import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("Trouble of one device, and what looks like it")
struct DeviceTroubleTests {
    @Test("Hazard 66: a topic that is disallowed pauses the lane and blames no device")
    func topicDisallowed() throws {
        let bench = try LoopBench()
        let phone = try bench.register(1)
        try bench.insert(5, for: 1)
        bench.apple.requested = { $0.answer(400, reason: "TopicDisallowed") }
        try bench.run(until: "a pause", within: .seconds(60)) { !bench.told("paused").isEmpty }
        #expect(try bench.due().count == 5)
        #expect(try bench.device(phone)?.lastFailure == nil)
        #expect(try bench.device(phone)?.removedAt == nil)
    }

    @Test("Hazard 59: a device that is told to wait is tried seldom, coalesces and holds up nobody")
    func throttled() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.register(2)
        for folder in 0..<50 {
            try bench.insert(20, for: 1, folder: "F\(folder)")
            try bench.insert(20, for: 2, folder: "F\(folder)")
        }
        bench.apple.requested = { request in
            guard request.deviceToken.hasSuffix("01") else { return request.answer() }
            request.answer(429, reason: "TooManyRequests")
        }
        try bench.run(until: "the other's wakes sent", within: .seconds(120)) {
            try bench.ended(.sent) == 1000
        }
        let before = bench.apple.requests.count
        try bench.run(for: .seconds(600))
        // Backoff of the device's own: 2, 8, 32, 128, 512 s …
        #expect(bench.apple.requests.count - before < 10)
        bench.apple.requested = { _ in }
        var inHand = 0
        let end = bench.time.boot + .seconds(1800)
        try bench.run(until: "half an hour without an answer") {
            inHand = max(inHand, bench.dispatcher.inHand)
            return bench.time.boot > end
        }
        #expect(inHand == 1)
        #expect(try bench.ended(.dropped, "superseded") >= 900)
        #expect(try bench.device(1)?.removedAt == nil)
    }

    @Test("three answers that the token isn't for the topic disable a device until it registers again")
    func struckOut() throws {
        let bench = try LoopBench()
        let phone = try bench.register(1)
        bench.apple.requested = { $0.answer(400, reason: "DeviceTokenNotForTopic") }
        for uid in 1...4 {
            try bench.insert(for: 1, first: uid)
            try bench.run(for: .seconds(5))
        }
        #expect(bench.apple.requests.count == 3)
        #expect(try bench.device(phone)?.disabledAt != nil)
        #expect(try bench.ended(.dropped, "device_disabled") == 1)
        try bench.register(1)
        bench.apple.requested = { $0.answer() }
        try bench.insert(for: 1, first: 9)
        try bench.run(until: "the wake sent") { try bench.ended(.sent) == 1 }
    }

    @Test("a lane that no device needs any more isn't shown as paused for ever")
    func forgottenLane() throws {
        let bench = try LoopBench()
        let phone = try bench.register(1, topic: "com.example.Wrong")
        try bench.insert(for: 1)
        bench.apple.requested = { $0.answer(400, reason: "TopicDisallowed") }
        try bench.run(until: "a pause", within: .seconds(60)) { !bench.told("paused").isEmpty }
        _ = try bench.store.removeDevice(phone, now: bench.wall)
        try bench.run(for: .seconds(60))
        #expect(!bench.metrics.contains("com.example.Wrong\",trouble"))
    }

    @Test("a burst of wakes that are all refused together is one strike, and disables nobody")
    func struckTogether() throws {
        let bench = try LoopBench()
        let phone = try bench.register(1)
        try bench.register(2)
        try bench.insert(for: 2)
        try bench.run(until: "room for many") { try bench.ended(.sent) == 1 }
        bench.apple.requested = { $0.answer(400, reason: "DeviceTokenNotForTopic") }
        try bench.insert(5, for: 1)
        try bench.run(until: "the refusals") { try bench.ended(.failed) == 5 }
        #expect(try bench.device(phone)?.strikes == 1)
        #expect(try bench.device(phone)?.disabledAt == nil)
    }

    @Test("trouble in the sandbox leaves production untouched")
    func twoEnvironments() throws {
        let bench = try LoopBench()
        try bench.register(1, environment: "production")
        try bench.register(2, environment: "sandbox")
        bench.apple.requested = { request in
            if request.deviceToken.hasSuffix("02") {
                request.answer(403, reason: "BadEnvironmentKeyIdInToken")
            } else {
                request.answer()
            }
        }
        for uid in 1...10 {
            try bench.insert(for: 1, first: uid)
            try bench.insert(for: 2, first: uid)
            try bench.run(for: .seconds(30))
        }
        #expect(try bench.ended(.sent) == 10)
        #expect(bench.told("sandbox com.example.Mail: paused, 403 BadEnvironmentKeyIdInToken").count >= 1)
        #expect(bench.told("production com.example.Mail: paused").isEmpty)
    }

    @Test(
        "Hazard 84: whatever Apple's reason for a failure is, the log gives it",
        arguments: [
            (400, "BadCollapseId"), (400, "BadMessageId"), (400, "PayloadEmpty"), (404, "BadPath"),
            (405, "MethodNotAllowed"), (413, "PayloadTooLarge"), (410, "ExpiredToken"),
            (418, "SomethingNew2027"),
        ])
    func reasons(status: Int, reason: String) throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(for: 1)
        bench.apple.requested = { $0.answer(status, reason: reason) }
        try bench.run(until: "the failure") { try bench.ended(.failed) == 1 }
        #expect(bench.told(": failed, \(reason)").count == 1)
    }

    @Test("a burst of mails to one folder rings twenty times, then once in ten seconds with the newest")
    func mailBomb() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(100, for: 1)
        try bench.run(for: .seconds(5))
        #expect(try bench.ended(.sent) == 20)
        try bench.run(for: .seconds(30))
        #expect(try bench.ended(.sent) == 21)
        #expect(try bench.ended(.dropped, "superseded") == 79)
        #expect(
            bench.apple.requests.last.map { String(decoding: $0.body, as: UTF8.self) }?.contains(":100}")
                == true)
    }
}
