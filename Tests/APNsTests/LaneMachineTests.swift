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
}
