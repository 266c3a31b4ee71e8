import Posix
import Queue
import SQLite
import Testing

@Suite("A backlog of stale wakes")
struct StaleBacklogTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    /// Fills two folders of one device, one after the other.
    private func fill(_ count: Int) throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        for start in stride(from: 0, to: count, by: 1000) {
            let folder = start < count / 2 ? "INBOX" : "Lists"
            _ = try queue.store.insert(
                (start..<start + 1000).map { TemporaryQueue.notice("n\($0)", folder: folder) }, now: now)
            try queue.fanOut()
        }
    }

    @Test(
        "Hazard 99: of 50,000 stale wakes of a device the newest of each folder is left, and all others name it"
    )
    func coalesced() throws {
        try fill(50_000)
        let later = now.advanced(by: .seconds(1))
        var newest: [DueDelivery] = []
        while case let due = try queue.store.due(
            now: later, limit: 200, excluding: Set(newest.map(\.id)), staleBefore: later), !due.isEmpty
        {
            newest += due.filter { $0.newer == nil }
            let superseded = due.filter { $0.newer != nil }.map {
                Settlement($0, .ended(.dropped, reason: "superseded", supersededBy: $0.newer))
            }
            _ = try queue.store.settle(superseded, now: later)
        }
        #expect(newest.map(\.notice.folder).sorted() == ["INBOX", "Lists"])
        #expect(newest.map(\.id).sorted() == [25_000, 50_000])
        #expect(try queue.ends(.dropped, "superseded") == 49_998)
        let named = try queue.connection().query(
            "SELECT DISTINCT superseded_by FROM deliveries WHERE ended_at IS NOT NULL ORDER BY 1"
        ) { $0.integer(0) as Int64 }
        #expect(named == [25_000, 50_000])
    }
}
