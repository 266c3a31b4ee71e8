import APNs
import Posix
import Queue

@testable import DispatchCommand

extension LoopBench {
    /// How many wakes ended one way, for one reason or all.
    func ended(_ end: End, _ reason: String? = nil) throws -> Int64 {
        try store.counts(now: wall).ends
            .filter { $0.end == end.rawValue && (reason == nil || $0.reason == reason) }
            .reduce(0) { $0 + $1.count }
    }

    /// What is due in production, or will be within a span.
    func due(within span: Duration = .zero) throws -> [DueDelivery] {
        try store.due(
            now: wall.advanced(by: span), limit: 100_000, excluding: [], environment: "production",
            topic: "com.example.Mail",
            staleBefore: WallTime(milliseconds: 0))
    }

    /// The device with this id, live or a tombstone.
    func device(_ id: Int64) throws -> Device? { try store.devices().first { $0.id == id } }

    /// Lines of the log that say this.
    func told(_ text: String) -> [String] { log.filter { $0.contains(text) } }

    /// The connections of its lanes that take requests.
    var connectionsInUse: Int {
        dispatcher.lanes.values.flatMap(\.connections).count { !$0.machine.isRetired }
    }
}
