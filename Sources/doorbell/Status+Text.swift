internal import Posix
internal import Queue

extension Status {
    /// For a person: one fact a line.
    var text: String {
        var rows = [["push", pushIsOffBecause.map { "off: \($0)" } ?? "on"]]
        for (name, process) in [("spool-drain", drain), ("dispatch", dispatch)] {
            rows.append([name, process.map { "runs as process \($0)" } ?? "doesn't run"])
        }
        if dispatch != nil, let refusal = lanes?.refusal {
            let text = "refused since \(refusal.since.text), the old one stays: \(refusal.reason)"
            rows.append(["configuration", text])
        }
        rows.append(["spool", spoolText])
        for lane in lanes?.lanes ?? [] {
            rows.append(["lane", "\(lane.environment) \(lane.topic): \(lane.state(now: now))\(asOf)"])
        }
        let servers = lanes?.mailServers ?? []
        let isNobodyAsked = servers.allSatisfy { $0.reason != nil }
        for server in servers {
            let place = server.address.map { " \($0)" } ?? ""
            let state = server.state(isNobodyAsked: isNobodyAsked)
            rows.append(["uids", "\(server.service)\(place): \(state)\(asOf)"])
            if let refusal = server.refusal {
                let since = server.refusedSince.map { " since \($0.text)" } ?? ""
                rows.append(["uids", "\(server.service)\(place): login refused\(since): \(refusal)\(asOf)"])
            }
        }
        if let skew = lanes?.clockSkew { rows.append(["clock", text(ofSkew: skew) + asOf]) }
        rows += [
            [
                "devices",
                "\(counts.liveDevices) live, \(counts.suspectDevices) suspect, "
                    + "\(counts.disabledDevices) disabled; \(counts.throttledDevices) throttled",
            ],
            ["waiting", "\(counts.waiting)"],
            ["queued", "\(counts.queued)"],
            ["deferred", "\(counts.deferred)"],
            ["oldest", oldestAge.map { "\($0.components.seconds) s" } ?? "none"],
        ]
        rows += counts.ends.map { ends in
            let words = DropReason.words(of: ends.reason).map { ": \($0)" } ?? ""
            return [ends.end, "\(ends.count) \(ends.reason)\(words)"]
        }
        return aligned(rows)
    }

    private var spoolText: String {
        switch spool {
        case .success(let spool):
            let hint = spool.setAside > 0 ? "; see doorbell spool corrupt list" : ""
            return "\(spool.waiting) waiting, \(spool.setAside) set aside\(hint)"
        case .failure(let error): return "unknown: \(error)"
        }
    }

    /// A report of a dispatch that has ended may be old.
    private var asOf: String {
        guard dispatch == nil, let lanes else { return "" }
        return ", as of \(lanes.at.text)"
    }

    private func text(ofSkew seconds: Int64) -> String {
        let hasStandIn = lanes?.lanes.contains { $0.standIn != nil } ?? false
        let others = hasStandIn ? "the stand-in's" : "Apple's"
        if seconds == 0 { return "agrees with \(others)" }
        return "\(seconds.magnitude) s \(seconds > 0 ? "ahead of" : "behind") \(others)"
    }
}

extension LaneReport.MailServer {
    /// For a person: whether it is asked, and if not, why.
    fileprivate func state(isNobodyAsked: Bool) -> String {
        guard let reason else {
            return isAsked ? "asked, \(text(ofConnections: connections))" : "not asked yet"
        }
        let outcome = isNobodyAsked ? " (wakes go with uid 0)" : ""
        return "not asked\(since.map { " since \($0.text)" } ?? "")\(outcome): \(reason)"
    }
}

private func text(ofConnections number: Int64) -> String {
    "\(number) connection\(number == 1 ? "" : "s")"
}

extension LaneReport.Lane {
    /// For a person: whether it is open, and if not, why and for how long.
    fileprivate func state(now: WallTime) -> String {
        let place = standIn.map { "; \($0) in Apple's place (DOORBELL_APNS_HOST)" } ?? ""
        let open = text(ofConnections: connections) + place
        guard let trouble else { return "open, \(open)" }
        let since = trouble.since.map { " since \($0.text)" } ?? ""
        let isAhead = trouble.nextTry.map { now < $0 } ?? false
        let next = trouble.nextTry.flatMap { isAhead ? "next try \($0.text)" : nil } ?? "being tried"
        return "paused\(since): \(trouble.reason) (\(trouble.kind)); \(next); \(open)"
    }
}
