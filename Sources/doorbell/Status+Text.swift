internal import Posix
internal import Queue

extension Status {
    /// For a person: one fact a line.
    var text: String {
        var rows = [["push", pushIsOffBecause.map { "off: \($0)" } ?? "on"]]
        for (name, process) in [("spool-drain", drain), ("dispatch", dispatch)] {
            rows.append([name, process.map { "runs as process \($0)" } ?? "doesn't run"])
        }
        for lane in lanes?.lanes ?? [] {
            let since = lane.since.map { " since \($0.text)" } ?? ""
            let state = lane.pausedBecause.map { "paused\(since): \($0)" } ?? "open"
            rows.append(["lane", "\(lane.environment) \(lane.topic): \(state)\(asOf)"])
        }
        rows += [
            ["devices", "\(counts.liveDevices) live, \(counts.suspectDevices) suspect"],
            ["waiting", "\(counts.waiting)"],
            ["queued", "\(counts.queued)"],
            ["deferred", "\(counts.deferred)"],
            ["oldest", oldestAge.map { "\($0.components.seconds) s" } ?? "none"],
        ]
        rows += counts.ends.map { [$0.end, "\($0.count) \($0.reason)"] }
        return aligned(rows)
    }

    /// A report of a dispatch that has ended may be old.
    private var asOf: String {
        guard dispatch == nil, let lanes else { return "" }
        return ", as of \(lanes.at.text)"
    }
}
