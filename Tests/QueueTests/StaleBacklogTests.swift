import Foundation
import Posix
import Queue
import Testing

@Suite("A backlog of stale wakes")
struct StaleBacklogTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    /// Two folders of one device, the second filled after the first.
    private func fill(_ count: Int) throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        for start in stride(from: 0, to: count, by: 1000) {
            _ = try queue.store.insert(
                (start..<start + 1000).map {
                    TemporaryQueue.notice("n\($0)", folder: $0 < count / 2 ? "INBOX" : "Lists")
                }, now: now)
            try queue.fanOut()
        }
    }

    @Test("Hazard 99: of 50,000 stale wakes of one device the newest of each folder is left, the others name it")
    func coalesced() throws {
        let t0 = Date()
        try fill(50_000)
        let t1 = Date()
        var ended = 0
        var claims = 0
        while true {
            let due = try queue.store.due(now: now, limit: 200, excluding: [25_000, 50_000], staleBefore: now.advanced(by: .seconds(1)))
            if due.isEmpty { break }
            claims += 1
            let report = try queue.store.settle(due.map { Settlement($0, .ended(.dropped, reason: "superseded", supersededBy: $0.newer)) }, now: now)
            ended += report.outcomes.count { $0 == .done }
        }
        let t2 = Date()
        print("fill", t1.timeIntervalSince(t0), "coalesce", t2.timeIntervalSince(t1), claims, ended)
    }
}
