import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("A backlog of notices")
struct FanOutBacklogTests {
    @Test("Lanes wait while stale notices are fanned out and more are left")
    func stale() {
        var backlog = FanOutBacklog()
        let turns = [(true, true), (true, false), (true, true), (false, true)].map { moreWait, hasStale in
            backlog.holdsUpLanes(moreWait: moreWait, hasStale: hasStale, now: .seconds(1))
        }
        #expect(turns == [true, false, true, false])
    }

    @Test("A backlog without end holds them up for half a minute, and the next one does again")
    func endless() {
        var backlog = FanOutBacklog()
        let turns = (0..<100).map { backlog.holdsUpLanes(moreWait: true, hasStale: true, now: .seconds($0)) }
        #expect(turns == Array(repeating: true, count: 30) + Array(repeating: false, count: 70))
        _ = backlog.holdsUpLanes(moreWait: false, hasStale: false, now: .seconds(100))
        let next = backlog.holdsUpLanes(moreWait: true, hasStale: true, now: .seconds(101))
        #expect(next)
    }

    @Test("Hazard 99: of stale mail that waits for its fan-out one wake a device and folder is sent")
    func sent() throws {
        let bench = try LoopBench()
        let phones = 200
        for phone in 1...phones { try bench.register(phone) }
        try bench.insert(for: 1, folder: "Open")
        try bench.run(until: "an open connection") { try bench.ended(.sent) == 1 }
        let landed = bench.wall.advanced(by: .seconds(-7200))
        for uid in 1...6 {
            _ = try bench.store.insert(
                (1...phones).map { phone in
                    NewNotice(
                        ownerUID: 1000, spoolName: Array("\(phone)-\(uid)".utf8), user: "user\(phone)",
                        folder: "INBOX", uid: UInt32(uid), messageID: "", at: landed)
                }, now: bench.wall)
        }
        try bench.run(until: "all ended") {
            try bench.ended(.sent) + bench.ended(.dropped, "superseded") == 6 * Int64(phones) + 1
        }
        #expect(try bench.ended(.sent) == Int64(phones) + 1)
    }
}
