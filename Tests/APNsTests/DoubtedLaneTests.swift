import APNs
import Testing

@Suite("Lane whose tokens are unknown")
struct DoubtedLaneTests {
    private func doubt(_ lane: inout LaneMachine, _ device: Int64, now: Duration = .zero) -> Bool {
        lane.doubted(device: device, reason: "400 BadDeviceToken", now: now, jitter: 0)
    }

    @Test("Hazard 65: ten different devices in a row pause it, and it is the lane that is doubted")
    func run() {
        var lane = LaneMachine()
        for device in 1..<Int64(10) { #expect(!result(doubt(&lane, device))) }
        #expect(!lane.isDoubted)
        #expect(result(doubt(&lane, 10)))
        #expect(lane.isDoubted)
        #expect(lane.trouble == .unknownTokens)
        #expect(lane.pausedUntil == .seconds(15))
    }

    @Test("One device that is asked for again and again says nothing about the others")
    func oneDevice() {
        var lane = LaneMachine()
        for _ in 0..<50 { #expect(!result(doubt(&lane, 7))) }
        for device in 1...Int64(6) { #expect(!result(doubt(&lane, device))) }
        #expect(lane.trouble == nil)
    }

    @Test("A delivery that is taken shows that the environment is right")
    func interrupted() {
        var lane = LaneMachine()
        for device in 1..<Int64(10) { _ = doubt(&lane, device) }
        lane.accepted()
        #expect(!result(doubt(&lane, 10)))
    }

    @Test("It stays doubted until a probe is taken, and each unknown token makes the pause longer")
    func probes() {
        var lane = LaneMachine()
        for device in 1...Int64(10) { _ = doubt(&lane, device) }
        #expect(result(lane.turn(now: .seconds(15))) == 1)
        #expect(lane.isDoubted)
        #expect(result(doubt(&lane, 11, now: .seconds(15))))
        #expect(lane.pausedUntil == .seconds(45))
        #expect(lane.isDoubted)
        _ = lane.turn(now: .seconds(45))
        #expect(result(lane.accepted()))
        #expect(!lane.isDoubted)
        #expect(!result(doubt(&lane, 12)))
    }

    @Test("Another trouble in between doesn't end the doubt")
    func persists() {
        var lane = LaneMachine()
        for device in 1...Int64(10) { _ = doubt(&lane, device) }
        _ = lane.turn(now: .seconds(15))
        _ = lane.troubled(by: .connection, reason: "r", now: .seconds(15), jitter: 0)
        #expect(lane.trouble == .connection)
        #expect(lane.isDoubted)
        _ = lane.turn(now: .seconds(16))
        #expect(result(doubt(&lane, 11, now: .seconds(16))))
        #expect(lane.pausedUntil == .seconds(46))
    }
}
