import HTTP2
import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("A wall clock that somebody sets")
struct ClockWatchTests {
    private let wall = WallTime(milliseconds: 1_790_000_000_000)

    @Test("clocks that run together, or slew, are no jump")
    func together() {
        var watch = ClockWatch()
        for second in 0..<100 {
            let slewed = Duration.milliseconds(second * 1100)
            #expect(result(watch.looked(wall: wall.advanced(by: slewed), boot: .seconds(second))) == nil)
        }
        #expect(watch.agesCount(boot: .seconds(100)))
    }

    @Test("a jump either way is told once, and suspends ages for ten minutes", arguments: [86_400, -86_400])
    func jump(seconds: Int64) {
        var watch = ClockWatch()
        _ = watch.looked(wall: wall, boot: .seconds(10))
        let set = wall.advanced(by: .seconds(seconds + 1))
        #expect(result(watch.looked(wall: set, boot: .seconds(11))) == .seconds(seconds))
        #expect(
            result(watch.looked(wall: set.advanced(by: .seconds(1)), boot: .seconds(12))) == nil)
        #expect(!watch.agesCount(boot: .seconds(610)))
        #expect(watch.agesCount(boot: .seconds(611)))
    }

    @Test("wakes that wait while the clock is set two days ahead and back are sent, not expired")
    func aheadAndBack() throws {
        let bench = try LoopBench()
        try bench.register(1)
        bench.apple.goDown()
        try bench.insert(10, for: 1)
        try bench.run(for: .seconds(60))
        bench.time.wallSetBy = .seconds(2 * 86_400)
        try bench.run(for: .seconds(300))
        #expect(bench.told("the wall clock was set by").count == 1)
        bench.time.wallSetBy = .zero
        try bench.apple.comeBack()
        try bench.run(until: "everything sent") { try bench.ended(.sent) == 10 }
        #expect(try bench.ended(.expired) == 0)
    }

    @Test("a wake that waits while the clock is set back a day is sent soon after")
    func back() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insert(for: 1)
        bench.apple.requested = {
            $0.answer(503, reason: "ServiceUnavailable", headers: [HeaderField("retry-after", "25")])
        }
        try bench.run(until: "the deferral") { try bench.due().isEmpty && bench.apple.requests.count == 1 }
        bench.apple.requested = { $0.answer() }
        try bench.run(for: .seconds(22))
        bench.time.wallSetBy = .seconds(-86_400)
        try bench.run(until: "the wake sent", within: .seconds(60)) { try bench.ended(.sent) == 1 }
    }

    @Test("a clock that stays ahead expires them after the ten minutes")
    func stays() throws {
        let bench = try LoopBench()
        try bench.register(1)
        bench.apple.goDown()
        try bench.insert(10, for: 1)
        try bench.run(for: .seconds(60))
        bench.time.wallSetBy = .seconds(2 * 86_400)
        try bench.run(until: "everything expired", within: .seconds(700)) { try bench.ended(.expired) == 10 }
    }
}
