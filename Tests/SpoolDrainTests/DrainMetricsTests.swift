import Foundation
import Posix
import Reporting
import TestSupport
import Testing

@testable import SpoolDrainCommand

struct DrainMetricsTests {
    @Test("From the first write on, every counter is there, and the text passes the strict reader")
    func complete() throws {
        var metrics = DrainMetrics(startedAt: WallTime(milliseconds: 1_796_013_060_500))
        let read = try ExpositionFormat(metrics.text(at: WallTime(milliseconds: 1_796_013_061_000)).text)
        for series in [
            "doorbell_drain_notices_total{source=\"hook\"}",
            "doorbell_drain_notices_total{source=\"trusted\"}",
            "doorbell_drain_quiet_notices_total{reason=\"quiet_spam\"}",
            "doorbell_drain_corrupt_entries_total{reason=\"wrong_owner\"}", "doorbell_drain_entries_waiting",
            "doorbell_drain_scans_total{cause=\"wake\"}", "doorbell_drain_scan_duration_seconds_count",
            "doorbell_drain_watch_up", "doorbell_drain_stale_temporaries_total",
            "doorbell_drain_corrupt_evicted_total", "doorbell_drain_watch_overflows_total",
            "doorbell_drain_confined",
        ] { #expect(read.series[series] == 0, "\(series)") }
        for limit in ["max_queued_events", "max_user_instances", "max_user_watches"] {
            let path = "/proc/sys/fs/inotify/\(limit)"
            let value = try String(contentsOfFile: path, encoding: .utf8)
            let series = read.series["doorbell_drain_inotify_limit{limit=\"\(limit)\"}"]
            #expect(series == Double(value.dropLast()), "\(limit)")
        }
        #expect(read.series["doorbell_drain_start_time_seconds"] == 1_796_013_060.5)
        #expect(read.series["doorbell_drain_last_write_timestamp_seconds"] == 1_796_013_061)
    }
}
