import APNs
import TestSupport
import Testing

@Suite("Lane under any events")
struct LaneWalkTests {
    @Test("Once paused it opens by a probe that Apple takes and by nothing else, and no pause passes an hour")
    func walk() {
        var random = SplitMix(state: 20_261_130)
        var lane = LaneMachine()
        var now = Duration.zero
        var isHeld = false
        var mayProbe = false
        let troubles: [LaneMachine.Trouble] = [.connection, .refused, .overloaded, .unknownTokens]
        for _ in 0..<100_000 {
            now += .milliseconds(random.below(20_000))
            let jitter = Double(random.below(101)) / 100
            var pauses = false
            switch random.below(5) {
            case 0:
                let trouble = troubles[random.below(4)]
                let atLeast = Duration.seconds(random.below(9000))
                pauses = lane.troubled(by: trouble, reason: "r", atLeast: atLeast, now: now, jitter: jitter)
            case 1: pauses = lane.strained(reason: "r", retryAfter: nil, now: now, jitter: jitter)
            case 2:
                let device = Int64(random.below(30))
                pauses = lane.doubted(device: device, reason: "r", now: now, jitter: jitter)
            case 3:
                let opens = lane.accepted()
                #expect(opens == (isHeld && mayProbe))
                if opens { isHeld = false }
            default:
                let allowance = lane.turn(now: now, inHand: random.below(2))
                #expect(isHeld ? allowance <= 1 : allowance == .max)
                mayProbe = isHeld && allowance == 1
            }
            if pauses {
                isHeld = true
                mayProbe = false
            }
            #expect((lane.trouble != nil) == isHeld)
            if let until = lane.pausedUntil { #expect(until <= now + LaneMachine.longestPause) }
        }
    }
}
