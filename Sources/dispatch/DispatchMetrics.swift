internal import APNs
internal import Posix
internal import Queue
internal import Reporting
internal import Resolution

/// What dispatch counts, and how Prometheus sees it.
struct DispatchMetrics {
    /// The file's name without its suffix.
    static let name = "doorbell-dispatch"

    private var pushes = MetricFamily.counter(
        "doorbell_dispatch_pushes_total", "Requests to APNs by what came of them.",
        labels: ["result", "reason", "topic"])
    private var latency = Histogram(
        "doorbell_dispatch_enqueue_to_answer_seconds", "From a mail's arrival to Apple's answer.",
        upperBounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600])
    private var resolutions = MetricFamily.counter(
        "doorbell_dispatch_resolutions_total", "Notices by how their mail's uid was found, or why it wasn't.",
        labels: ["by", "result"])
    private var resolutionWait = Histogram(
        "doorbell_dispatch_resolution_seconds", "How long notices waited for their mail's uid.",
        upperBounds: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10])
    private var removals = MetricFamily.counter(
        "doorbell_dispatch_devices_removed_total", "Devices that became tombstones, by why.",
        labels: ["reason"])
    private var troubles = MetricFamily.counter(
        "doorbell_dispatch_troubles_total",
        "Troubles with the queue and the files beside it, by kind: each counted once until it is over.",
        labels: ["trouble"])
    /// Connections begun, whatever came of them.
    var connectionsOpened = 0
    /// Accounts whose notices wait because they have their ceiling of open deliveries.
    var accountsHeldUp = 0
    /// What the queue held when it could last be asked.
    var queue: QueueCounts?
    private let startedAt: WallTime

    /// How long the queue's write-ahead log is, in bytes.
    var queueLogBytes = 0

    init(startedAt: WallTime) {
        self.startedAt = startedAt
        for trouble in Trouble.allCases { troubles[trouble.rawValue] = 0 }
    }

    /// Counts a trouble that has begun.
    mutating func count(_ trouble: Trouble) { troubles[trouble.rawValue] += 1 }

    /// Counts a device that was removed.
    mutating func count(removedBecause reason: String) { removals[Self.label(ofReason: reason)] += 1 }

    /// Counts a notice that was looked for, or that knew its uid.
    mutating func count(_ ready: Resolver.Ready) {
        guard let resolution = ready.resolution else { return }
        let isFound = resolution.location != nil
        resolutions[
            isFound ? resolution.source.rawValue : "none",
            isFound ? "found" : resolution.source.rawValue] += 1
        if resolution.source != .entry, resolution.source != .unaskable {
            resolutionWait.observe(ready.wait.inSeconds)
        }
    }

    /// Counts one answer, or the lack of one.
    ///
    /// - Parameter sinceArrival: from the mail's arrival to now.
    mutating func count(
        _ answer: Answer, _ settled: Outcome, topic: String, sinceArrival: Duration
    ) {
        let result =
            switch settled {
            case .ended(let end, _, _): end.rawValue
            case .deferred: "deferred"
            }
        pushes[result, answer.label, topic] += 1
        if case .response = answer { latency.observe(sinceArrival.inSeconds) }
    }

    /// Renders everything.
    ///
    /// - Parameter clockSkew: how far this machine's clock is ahead of Apple's, in seconds, as last seen.
    func text(lanes: [Lane], resolver: Resolver? = nil, clockSkew: Int64?, now: WallTime) -> MetricsText {
        var text = MetricsText()
        text.add(pushes)
        text.add(latency)
        text.add(removals)
        text.add(resolutions)
        text.add(resolutionWait)
        for family in resolver?.metrics ?? [] { text.add(family) }
        text.add(troubles)
        var log = MetricFamily.gauge(
            "doorbell_dispatch_queue_log_bytes", "How long the queue's write-ahead log is.")
        log[] = Double(queueLogBytes)
        text.add(log)
        if let queue {
            for family in Self.families(of: queue, now: now) { text.add(family) }
        }
        for family in families(of: lanes) { text.add(family) }
        var heldUp = MetricFamily.gauge(
            "doorbell_dispatch_accounts_held_up",
            "Accounts whose notices wait because they have their ceiling of open deliveries.")
        heldUp[] = Double(accountsHeldUp)
        text.add(heldUp)
        if let clockSkew {
            var family = MetricFamily.gauge(
                "doorbell_dispatch_clock_skew_seconds", "How far this machine's clock is ahead of Apple's.")
            family[] = Double(clockSkew)
            text.add(family)
        }
        text.add(time("start_time_seconds", "When this process started.", startedAt))
        text.add(time("last_write_timestamp_seconds", "When this file was written.", now))
        return text
    }

    private static func families(of queue: QueueCounts, now: WallTime) -> [MetricFamily] {
        var ended = MetricFamily.counter(
            "doorbell_dispatch_wakes_ended_total", "Wakes by how they ended, since the queue was made.",
            labels: ["end", "reason"])
        for total in queue.ends { ended[total.end, label(ofReason: total.reason)] += Double(total.count) }
        var depth = MetricFamily.gauge(
            "doorbell_dispatch_queue_depth",
            "What has not ended: notices without deliveries, and deliveries.",
            labels: ["state"])
        depth["waiting"] = Double(queue.waiting)
        depth["queued"] = Double(queue.queued)
        depth["deferred"] = Double(queue.deferred)
        var oldest = MetricFamily.gauge(
            "doorbell_dispatch_oldest_age_seconds", "Age of the oldest mail whose wake has not ended.")
        oldest[] = queue.oldest.map { now.since($0).inSeconds } ?? 0
        return [ended, depth, oldest]
    }

    private func families(of lanes: [Lane]) -> [MetricFamily] {
        var paused = MetricFamily.gauge(
            "doorbell_dispatch_lane_paused", "1 while a lane is paused or only probes, by what troubles it.",
            labels: ["environment", "topic", "trouble"])
        var open = MetricFamily.gauge(
            "doorbell_dispatch_connections", "Connections to APNs, opening ones included.",
            labels: ["environment", "topic"])
        for lane in lanes {
            let (environment, topic) = (lane.name.environment.rawValue, lane.name.topic)
            for trouble in LaneMachine.Trouble.allCases {
                paused[environment, topic, trouble.rawValue] = lane.machine.trouble == trouble ? 1 : 0
            }
            open[environment, topic] = Double(lane.connections.count)
        }
        var opened = MetricFamily.counter(
            "doorbell_dispatch_connections_opened_total", "Connections to APNs that were begun.")
        opened[] = Double(connectionsOpened)
        return [paused, open, opened]
    }

    private func time(_ name: String, _ help: String, _ time: WallTime) -> MetricFamily {
        var family = MetricFamily.gauge("doorbell_dispatch_\(name)", help)
        family[] = Double(time.milliseconds) / 1000
        return family
    }

    private static let ownReasons = Set(
        DropReason.allCases.map(\.rawValue) + Acceptance.allCases.map(\.rawValue)
            + ["expired", "unseen", QueueStore.poison])

    /// A row's reason as a label of a closed set.
    private static func label(ofReason reason: String) -> String {
        ownReasons.contains(reason) ? reason : Reason.label(reason)
    }
}

extension Answer {
    /// The answer as a label of a closed set.
    fileprivate var label: String {
        switch self {
        case .response(let response) where response.status == 200: "accepted"
        case .response(let response):
            response.reason.map { Reason.label($0.rawValue) } ?? "status_\(response.status / 100)xx"
        case .missing(.notProcessed): "not_processed"
        case .missing(.lost): "connection_lost"
        case .missing(.timedOut): "timed_out"
        }
    }
}
