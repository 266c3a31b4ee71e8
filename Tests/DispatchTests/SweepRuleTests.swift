import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("Rule of the sweep")
struct SweepRuleTests {
    private static let day: Int64 = 86_400_000

    @Test(
        "Hazard 70: devices are swept once a week, by a mark that is neither of the future nor two weeks old",
        arguments: [
            (0, .wait), (7 * day - 1, .wait), (7 * day, .sweep), (14 * day, .sweep),
            (14 * day + 1, .markOnly), (5000 * day, .markOnly), (-1, .markOnly), (-400 * day, .markOnly),
        ] as [(Int64, SweepRule)])
    func rule(sinceMark: Int64, expected: SweepRule) {
        let mark = WallTime(milliseconds: 1_790_000_000_000)
        #expect(
            SweepRule.decide(sweptAt: mark, now: WallTime(milliseconds: mark.milliseconds + sinceMark))
                == expected)
    }

    @Test(
        "Hazard 70: in the 13th week who was not seen is removed, unless push is off or nothing goes through for all",
        arguments: [(200, true, ["unseen"]), (403, true, []), (200, false, [])])
    func loop(status: Int, pushIsOn: Bool, removed: [String]) throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.register(2)
        bench.apple.requested = { $0.answer(status) }
        if !pushIsOn { bench.dispatcher.provider = nil }
        for halfWeek in 1...28 {
            try bench.insert(for: 2, first: halfWeek)
            try bench.run(for: .seconds(60))
            bench.sleep(.seconds(84 * 3600))
        }
        #expect(try bench.store.devices().compactMap(\.removedReason) == removed)
    }

    @Test("A new installation only leaves its mark")
    func first() { #expect(SweepRule.decide(sweptAt: nil, now: .now) == .markOnly) }

    @Test("Marks at the ends of time are survived", arguments: [Int64.min, .max])
    func extremes(mark: Int64) {
        #expect(SweepRule.decide(sweptAt: WallTime(milliseconds: mark), now: Samples.now) == .markOnly)
        #expect(
            SweepRule.decide(sweptAt: Samples.now, now: WallTime(milliseconds: mark)) == .markOnly)
    }

    @Test("A clock that runs a year ahead for a day and comes back sweeps nobody")
    func jump() {
        var mark = Samples.now
        for offset in [0, 365 * Self.day, 365 * Self.day + 1, Self.day, 2 * Self.day] {
            let now = WallTime(milliseconds: Samples.now.milliseconds + offset)
            let decision = SweepRule.decide(sweptAt: mark, now: now)
            #expect(decision != .sweep)
            if decision == .markOnly { mark = now }
        }
    }
}
