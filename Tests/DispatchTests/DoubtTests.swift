import APNs
import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("Tokens that Apple doesn't know")
struct DoubtTests {
    @Test(
        "Hazard 65: a lane where nobody's token is known pauses after ten, and when it works again no device is removed"
    )
    func wrongEnvironment() throws {
        let bench = try LoopBench()
        for phone in 1...20 {
            try bench.register(phone)
            try bench.insert(for: phone)
        }
        bench.apple.requested = { $0.answer(400, reason: "BadDeviceToken") }
        try bench.run(for: .seconds(3600))
        #expect(try bench.ended(.failed, "BadDeviceToken") == 9)
        #expect(bench.told("paused").count >= 1)
        // The tenth has shown that it is the lane: it waits with the others.
        #expect(try bench.due().map(\.attempts) == Array(repeating: 0, count: 11))
        for phone in 1...9 { try bench.insert(for: phone, first: 2) }
        bench.apple.requested = { $0.answer() }
        try bench.run(until: "everything else sent") { try bench.ended(.sent) == 20 }
        #expect(try bench.store.devices().allSatisfy { $0.removedAt == nil && $0.suspectSince == nil })
    }

    @Test("a suspect is removed once another device of its lane is accepted, and the log says why")
    func suspectRemoved() throws {
        let bench = try LoopBench()
        let stranger = try bench.register(1)
        try bench.register(2)
        bench.apple.requested = { request in
            if request.deviceToken.hasSuffix("01") {
                request.answer(400, reason: "BadDeviceToken")
            } else {
                request.answer()
            }
        }
        try bench.insert(for: 1)
        try bench.run(until: "the refusal") { try bench.ended(.failed) == 1 }
        #expect(try bench.device(stranger)?.removedAt == nil)
        try bench.insert(for: 2)
        try bench.run(until: "the wake sent") { try bench.ended(.sent) == 1 }
        #expect(try bench.device(stranger)?.removedReason == "BadDeviceToken")
        #expect(bench.told("device \(stranger): removed, BadDeviceToken").count == 1)
        try bench.run(for: .seconds(20))
        #expect(bench.metrics.contains(#"devices_removed_total{reason="BadDeviceToken"} 1"#))
    }

    @Test("a suspect whose push is accepted just after another one's is no suspect, and both pushes are sent")
    func probeUnderWay() throws {
        let bench = try LoopBench()
        let suspect = try bench.register(1)
        try bench.register(2)
        try bench.insert(for: 2)
        try bench.run(until: "a wake sent") { try bench.ended(.sent) == 1 }
        bench.apple.requested = { $0.answer(400, reason: "BadDeviceToken") }
        try bench.insert(for: 1)
        try bench.run(until: "the doubt") { try bench.device(suspect)?.suspectSince != nil }
        bench.sleep(.seconds(86_400))
        var held: [ScriptedApple.Request] = []
        bench.apple.requested = { held.append($0) }
        try bench.insert(for: 1, first: 2)
        try bench.insert(for: 2, first: 2)
        try bench.run(until: "both asked") { held.count == 2 }
        for request in held where request.deviceToken.hasSuffix("02") { request.answer() }
        try bench.run(until: "the other one sent") { try bench.ended(.sent) == 2 }
        #expect(try bench.device(suspect)?.removedAt == nil)
        for request in held where request.deviceToken.hasSuffix("01") { request.answer() }
        try bench.run(until: "its own sent") { try bench.ended(.sent) == 3 }
        #expect(try bench.device(suspect)?.suspectSince == nil)
    }
}
