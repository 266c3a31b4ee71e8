import Foundation
import Posix
import Queue
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("A write-ahead log that can't be emptied")
struct QueueLogTests {
    private let bench: LoopBench
    private var log: String { bench.directory.file("state/doorbell.db-wal") }

    init() throws { bench = try LoopBench() }

    private func told(_ words: String) -> Int { bench.log.count { $0.contains(words) } }

    @Test(
        "Hazard 100: that it is long is told once, with what names the reader, and once that it is short again"
    )
    func long() throws {
        try bench.run(for: .seconds(60))
        #expect(told("has grown") == 0)
        #expect(!bench.metrics.contains("doorbell_dispatch_queue_log_bytes 0\n"))
        // SQLite takes no notice of what is behind its last commit.
        truncate(log, off_t(QueueStore.longestLog))
        try bench.run(for: .seconds(60))
        #expect(told("has grown") == 0)
        truncate(log, off_t(QueueStore.longestLog) + 1)
        try bench.run(for: .seconds(60))
        #expect(
            told(
                "warning: \(log): has grown to 64 MiB, because a program goes on reading the queue; fuser -v")
                == 1)
        #expect(bench.metrics.contains("doorbell_dispatch_queue_log_bytes \(QueueStore.longestLog + 1)\n"))
        #expect(told("is short again") == 0)
        truncate(log, off_t(QueueStore.longestLog))
        try bench.run(for: .seconds(60))
        #expect(told("info: \(log): is short again") == 1)
        #expect(told("has grown") == 1)
    }
}
