import APNs
import Testing

@Suite("Lane whose servers fail")
struct StrainedLaneTests {
    private func fail(_ lane: inout LaneMachine, retryAfter: Duration? = nil, now: Duration = .zero) -> Bool {
        lane.strained(reason: "500 InternalServerError", retryAfter: retryAfter, now: now, jitter: 0)
    }

    @Test("The tenth failure in a row pauses it, as overloaded")
    func run() {
        var lane = LaneMachine()
        for _ in 1..<10 { #expect(!result(fail(&lane))) }
        #expect(result(lane.turn(now: .zero)) == .max)
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
        #expect(result(lane.turn(now: .seconds(1))) == 1)
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
