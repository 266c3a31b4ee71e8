import APNs
import Testing

@Suite("Lane")
struct LaneMachineTests {
    @Test("An open lane lets everything through")
    func open() {
        var lane = LaneMachine()
        #expect(result(lane.allowance(now: .zero)) == .max)
        #expect(lane.reason == nil)
    }

    @Test("A refused credential stops the lane, and says so once however many answers say it")
    func pausesOnce() {
        var lane = LaneMachine()
        #expect(result(lane.troubled(by: .refused, reason: "InvalidProviderToken", now: .zero, jitter: 0)))
        #expect(
            !result(lane.troubled(by: .refused, reason: "InvalidProviderToken", now: .seconds(1), jitter: 0)))
        #expect(result(lane.allowance(now: .seconds(14))) == 0)
        #expect(lane.reason == "InvalidProviderToken")
    }

    @Test("After the pause one delivery probes the lane")
    func probes() {
        var lane = LaneMachine()
        _ = lane.troubled(by: .refused, reason: "r", now: .zero, jitter: 0)
        #expect(result(lane.allowance(now: .seconds(15))) == 1)
    }

    @Test("A delivery that Apple takes opens the lane again")
    func opens() {
        var lane = LaneMachine()
        _ = lane.troubled(by: .refused, reason: "r", now: .zero, jitter: 0)
        #expect(!result(lane.accepted()), "an answer from before the pause opens nothing")
        #expect(result(lane.allowance(now: .seconds(15))) == 1)
        #expect(result(lane.accepted()))
        #expect(result(lane.allowance(now: .zero)) == .max)
        #expect(!result(lane.accepted()))
    }

    @Test("Trouble in a row doubles the pause, up to its limit")
    func doubles() {
        var lane = LaneMachine()
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<9 {
            _ = lane.troubled(by: .refused, reason: "r", now: now, jitter: 0)
            let until = lane.pausedUntil ?? now
            pauses.append(until - now)
            now = until
            #expect(result(lane.allowance(now: now)) == 1)
        }
        #expect(pauses == [15, 30, 60, 120, 240, 480, 900, 900, 900].map { .seconds($0) })
    }

    @Test("A lost connection waits from one second to one minute, less jitter")
    func connection() {
        var lane = LaneMachine()
        _ = lane.troubled(by: .connection, reason: "r", now: .zero, jitter: 1)
        #expect(lane.pausedUntil == .milliseconds(500))
    }

    @Test("Each kind of trouble starts with a pause of its own length")
    func kinds() {
        var lane = LaneMachine()
        var now = Duration.zero
        for _ in 0..<8 {
            _ = lane.troubled(by: .connection, reason: "r", now: now, jitter: 0)
            now = lane.pausedUntil ?? now
            _ = lane.allowance(now: now)
        }
        _ = lane.troubled(by: .refused, reason: "r", now: now, jitter: 0)
        #expect(lane.pausedUntil == now + .seconds(15))
    }

    @Test(
        "Hazard 3: a reconnection's wait grows until Apple takes a delivery, whatever else goes wrong between"
    )
    func onlySuccessForgets() {
        var lane = LaneMachine()
        var now = Duration.zero
        var pauses: [Duration] = []
        for trouble in [.connection, .connection, .refused, .connection, .overloaded, .connection]
            as [LaneMachine.Trouble]
        {
            _ = lane.troubled(by: trouble, reason: "r", now: now, jitter: 0)
            pauses.append((lane.pausedUntil ?? now) - now)
            now = lane.pausedUntil ?? now
            _ = lane.allowance(now: now)
        }
        #expect(pauses == [1, 2, 15, 4, 15, 8].map { .seconds($0) })
        lane.accepted()
        _ = lane.troubled(by: .connection, reason: "r", now: now, jitter: 0)
        #expect(lane.pausedUntil == now + .seconds(1))
    }

    @Test("Another trouble during a pause changes neither its end nor its reason")
    func onePauseAtATime() {
        var lane = LaneMachine()
        _ = lane.troubled(by: .refused, reason: "403 Forbidden", now: .zero, jitter: 0)
        #expect(!result(lane.troubled(by: .connection, reason: "closed", now: .seconds(1), jitter: 0)))
        #expect(!result(lane.strained(reason: "s", retryAfter: nil, now: .seconds(1), jitter: 0)))
        #expect(!result(lane.doubted(device: 1, reason: "d", now: .seconds(1), jitter: 0)))
        #expect(lane.pausedUntil == .seconds(15))
        #expect(lane.trouble == .refused)
        #expect(lane.reason == "403 Forbidden")
    }

    @Test("A pause doesn't end while something sent before it is unanswered: only the probe opens the lane")
    func probeAlone() {
        var lane = LaneMachine()
        _ = lane.troubled(by: .connection, reason: "r", now: .zero, jitter: 0)
        #expect(result(lane.allowance(now: .seconds(5), inHand: 1)) == 0)
        #expect(!result(lane.accepted()))
        #expect(result(lane.allowance(now: .seconds(6), inHand: 0)) == 1)
        #expect(result(lane.allowance(now: .seconds(6), inHand: 1)) == 1)
        #expect(result(lane.accepted()))
    }

    @Test(
        "A pause is as long as it must be, within an hour",
        arguments: [(nil, 15), (5, 15), (600, 600), (999_999, 3600), (-7, 15)] as [(Int?, Int)])
    func atLeast(asked: Int?, seconds: Int) {
        var lane = LaneMachine()
        let atLeast = asked.map { Duration.seconds($0) }
        _ = lane.troubled(by: .refused, reason: "r", atLeast: atLeast, now: .zero, jitter: 0)
        #expect(lane.pausedUntil == .seconds(seconds))
    }
}

@Suite("Lane whose servers fail")
struct StrainedLaneTests {
    private func fail(_ lane: inout LaneMachine, retryAfter: Duration? = nil, now: Duration = .zero) -> Bool {
        lane.strained(reason: "500 InternalServerError", retryAfter: retryAfter, now: now, jitter: 0)
    }

    @Test("The tenth failure in a row pauses it, as overloaded")
    func run() {
        var lane = LaneMachine()
        for _ in 1..<10 { #expect(!result(fail(&lane))) }
        #expect(result(lane.allowance(now: .zero)) == .max)
        #expect(result(fail(&lane)))
        #expect(lane.trouble == .overloaded)
        #expect(lane.pausedUntil == .seconds(15))
    }

    @Test("A delivery that is taken in between ends the run")
    func interrupted() {
        var lane = LaneMachine()
        for _ in 1..<10 { _ = fail(&lane) }
        lane.accepted()
        for _ in 1..<10 { #expect(!result(fail(&lane))) }
        #expect(result(fail(&lane)))
    }

    @Test("A failed probe pauses it at once, whatever had paused it")
    func probe() {
        var lane = LaneMachine()
        _ = lane.troubled(by: .connection, reason: "r", now: .zero, jitter: 0)
        #expect(result(lane.allowance(now: .seconds(1))) == 1)
        #expect(result(fail(&lane, now: .seconds(1))))
        #expect(lane.pausedUntil == .seconds(16))
    }

    @Test("It waits as long as the servers ask for")
    func retryAfter() {
        var lane = LaneMachine()
        for _ in 1..<10 { _ = fail(&lane, retryAfter: .seconds(3000)) }
        #expect(result(fail(&lane, retryAfter: .seconds(120))))
        #expect(lane.pausedUntil == .seconds(120))
    }

    @Test("A connection is replaced once a minute at the most, taken deliveries or not")
    func replacement() {
        var lane = LaneMachine()
        #expect(result(lane.mayReplaceConnection(now: .seconds(5))))
        #expect(!result(lane.mayReplaceConnection(now: .seconds(64))))
        lane.accepted()
        #expect(!result(lane.mayReplaceConnection(now: .seconds(64))))
        #expect(result(lane.mayReplaceConnection(now: .seconds(65))))
        #expect(!result(lane.mayReplaceConnection(now: .seconds(66))))
    }
}

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
        #expect(result(lane.allowance(now: .seconds(15))) == 1)
        #expect(lane.isDoubted)
        #expect(result(doubt(&lane, 11, now: .seconds(15))))
        #expect(lane.pausedUntil == .seconds(45))
        #expect(lane.isDoubted)
        _ = lane.allowance(now: .seconds(45))
        #expect(result(lane.accepted()))
        #expect(!lane.isDoubted)
        #expect(!result(doubt(&lane, 12)))
    }

    @Test("Another trouble in between doesn't end the doubt")
    func persists() {
        var lane = LaneMachine()
        for device in 1...Int64(10) { _ = doubt(&lane, device) }
        _ = lane.allowance(now: .seconds(15))
        _ = lane.troubled(by: .connection, reason: "r", now: .seconds(15), jitter: 0)
        #expect(lane.trouble == .connection)
        #expect(lane.isDoubted)
        _ = lane.allowance(now: .seconds(16))
        #expect(result(doubt(&lane, 11, now: .seconds(16))))
        #expect(lane.pausedUntil == .seconds(46))
    }
}

@Suite("Lane under any events")
struct LaneWalkTests {
    /// Says the same numbers for the same seed (Knuth's linear congruential generator).
    private struct Chance {
        var state: UInt64
        mutating func next(below bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
    }

    @Test("Once paused it opens by a probe that Apple takes and by nothing else, and no pause passes an hour")
    func walk() {
        var chance = Chance(state: 20_261_130)
        var lane = LaneMachine()
        var now = Duration.zero
        var isHeld = false
        var mayProbe = false
        let troubles: [LaneMachine.Trouble] = [.connection, .refused, .overloaded, .unknownTokens]
        for _ in 0..<100_000 {
            now += .milliseconds(chance.next(below: 20_000))
            let jitter = Double(chance.next(below: 101)) / 100
            var pauses = false
            switch chance.next(below: 5) {
            case 0:
                let trouble = troubles[Int(chance.next(below: 4))]
                let atLeast = Duration.seconds(chance.next(below: 9000))
                pauses = lane.troubled(by: trouble, reason: "r", atLeast: atLeast, now: now, jitter: jitter)
            case 1: pauses = lane.strained(reason: "r", retryAfter: nil, now: now, jitter: jitter)
            case 2:
                let device = Int64(chance.next(below: 30))
                pauses = lane.doubted(device: device, reason: "r", now: now, jitter: jitter)
            case 3:
                let opens = lane.accepted()
                #expect(opens == (isHeld && mayProbe))
                if opens { isHeld = false }
            default:
                let allowance = lane.allowance(now: now, inHand: Int(chance.next(below: 2)))
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
