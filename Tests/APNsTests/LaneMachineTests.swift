import APNs
import Testing

@Suite("Lane")
struct LaneMachineTests {
    @Test("An open lane lets everything through")
    func open() {
        var lane = LaneMachine()
        #expect(result(lane.turn(now: .zero)) == .max)
        #expect(lane.reason == nil)
    }

    @Test("A refused credential stops the lane, and says so once however many answers say it")
    func pausesOnce() {
        var lane = LaneMachine()
        #expect(result(lane.troubled(by: .refused, reason: "InvalidProviderToken", now: .zero, jitter: 0)))
        #expect(
            !result(lane.troubled(by: .refused, reason: "InvalidProviderToken", now: .seconds(1), jitter: 0)))
        #expect(result(lane.turn(now: .seconds(14))) == 0)
        #expect(lane.reason == "InvalidProviderToken")
    }

    @Test("After the pause one delivery probes the lane")
    func probes() {
        var lane = LaneMachine()
        _ = lane.troubled(by: .refused, reason: "r", now: .zero, jitter: 0)
        #expect(result(lane.turn(now: .seconds(15))) == 1)
    }

    @Test("To ask how much may go changes nothing: a pause ends when something is going to be sent")
    func asking() {
        var lane = LaneMachine()
        _ = lane.troubled(by: .refused, reason: "r", now: .zero, jitter: 0)
        #expect(lane.allowance(now: .seconds(14)) == 0)
        #expect(lane.allowance(now: .seconds(15), inHand: 1) == 0)
        #expect(lane.allowance(now: .seconds(15)) == 1)
        #expect(lane.pausedUntil == .seconds(15))
        lane.endPause(now: .seconds(15), inHand: 1)
        #expect(lane.pausedUntil == .seconds(15))
        lane.endPause(now: .seconds(15))
        #expect(lane.pausedUntil == nil)
        #expect(lane.trouble == .refused)
    }

    @Test("A delivery that Apple takes opens the lane again")
    func opens() {
        var lane = LaneMachine()
        _ = lane.troubled(by: .refused, reason: "r", now: .zero, jitter: 0)
        #expect(!result(lane.accepted()), "an answer from before the pause opens nothing")
        #expect(result(lane.turn(now: .seconds(15))) == 1)
        #expect(result(lane.accepted()))
        #expect(result(lane.turn(now: .zero)) == .max)
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
            #expect(result(lane.turn(now: now)) == 1)
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
            _ = lane.turn(now: now)
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
            _ = lane.turn(now: now)
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
        #expect(result(lane.turn(now: .seconds(5), inHand: 1)) == 0)
        #expect(!result(lane.accepted()))
        #expect(result(lane.turn(now: .seconds(6), inHand: 0)) == 1)
        #expect(result(lane.turn(now: .seconds(6), inHand: 1)) == 1)
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
