internal import Inotify
internal import Posix
internal import Queue
internal import Reporting
internal import Spool

/// The drain's counters: doorbell-drain.prom.
struct DrainMetrics {
    /// The file's name without its suffix.
    static let name = "doorbell-drain"

    var notices = MetricFamily.counter(
        "doorbell_drain_notices_total",
        "Entries moved to the queue, by whether their user wrote them (hook) or a trusted user did.",
        labels: ["source"])
    var quiet = MetricFamily.counter(
        "doorbell_drain_quiet_notices_total", "Of these the ones that ring nobody, by reason.",
        labels: ["reason"])
    var corrupt = MetricFamily.counter(
        "doorbell_drain_corrupt_entries_total", "Entries that could not be used, by reason.",
        labels: ["reason"])
    var evicted = MetricFamily.counter(
        "doorbell_drain_corrupt_evicted_total", "Entries removed from corrupt/ to keep its bounds.")
    var staleTemporaries = MetricFamily.counter(
        "doorbell_drain_stale_temporaries_total", "Temporary files removed because nobody finished them.")
    var scans = MetricFamily.counter(
        "doorbell_drain_scans_total", "Scans of the spool, by cause.", labels: ["cause"])
    var scanDuration = Histogram(
        "doorbell_drain_scan_duration_seconds",
        "Time from the start of a scan until all it found is settled.",
        upperBounds: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60])
    var troubles = MetricFamily.counter(
        "doorbell_drain_troubles_total",
        "Troubles with spool, queue or counters, by kind: each counted once until it is over.",
        labels: ["trouble"])
    var waiting = MetricFamily.gauge(
        "doorbell_drain_entries_waiting", "Entries in the spool that the last scan left there.")
    var full = MetricFamily.gauge(
        "doorbell_drain_full_accounts",
        "Accounts whose entries stay in the spool because they have their ceiling of waiting wakes; 100 is 100 or more."
    )
    var isWatching = MetricFamily.gauge(
        "doorbell_drain_watch_up",
        "1 while new entries are heard of at once, 0 while the spool is only polled.")
    var overflows = MetricFamily.counter(
        "doorbell_drain_watch_overflows_total", "Times that more happened in the spool than the kernel keeps."
    )
    var isConfined = MetricFamily.gauge(
        "doorbell_drain_confined", "1 while Landlock keeps the drain to its files, 0 where the kernel can't.")
    private var limits = MetricFamily.gauge(
        "doorbell_drain_inotify_limit", "The kernel's limits at start, by their names below fs.inotify.",
        labels: ["limit"])
    private var started = MetricFamily.gauge(
        "doorbell_drain_start_time_seconds", "When the drain was started, in seconds since the epoch.")
    private var written = MetricFamily.gauge(
        "doorbell_drain_last_write_timestamp_seconds",
        "When this file was written, in seconds since the epoch.")

    init(startedAt start: WallTime) {
        isConfined[] = 0
        for limit in DirectoryWatch.Limit.allCases {
            if let value = limit.value { limits[limit.rawValue] = Double(value) }
        }
        started[] = Double(start.milliseconds) / 1000
        for source in ["hook", "trusted"] { notices[source] = 0 }
        for reason in DropReason.quiet { quiet[reason.rawValue] = 0 }
        for reason in SpoolEntryDamage.allCases { corrupt[reason.rawValue] = 0 }
        for trouble in Trouble.allCases { troubles[trouble.rawValue] = 0 }
        for cause in DrainCause.allCases { scans[cause.rawValue] = 0 }
    }

    /// All of it as Prometheus reads it.
    mutating func text(at now: WallTime) -> MetricsText {
        written[] = Double(now.milliseconds) / 1000
        var text = MetricsText()
        for family in [
            notices, quiet, corrupt, evicted, staleTemporaries, scans, troubles, waiting, full, isWatching,
            overflows, isConfined, limits, started, written,
        ] { text.add(family) }
        text.add(scanDuration)
        return text
    }
}
