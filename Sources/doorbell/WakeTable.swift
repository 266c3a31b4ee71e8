internal import Posix
internal import Queue

/// A user's newest wakes, newest first: one line for each device that each was for.
struct WakeTable {
    /// The table with its heading, or a sentence when there is no wake, and what may be missing.
    let text: String

    /// - Parameters:
    ///   - hasDevice: whether a device has the user.
    ///   - hindrance: what keeps wakes waiting.
    init(_ wakes: [TracedWake], hasDevice: Bool, _ hindrance: Hindrance, now: WallTime) {
        let missing = hindrance.drainRuns ? "" : "spool-drain doesn't run: what came since isn't here\n"
        guard !wakes.isEmpty else {
            let device = hasDevice ? "" : "; and no device has this user, see doorbell device list"
            text =
                "no wake of this user: none came, or what came is forgotten (retention.push)\(device)\n"
                + missing
            return
        }
        let heading = ["MAIL ARRIVED (UTC)", "FOLDER", "UID", "DEVICE", "REACHED APPLE", "APNS-ID"]
        text = aligned([heading] + wakes.flatMap { Self.rows($0, hindrance, now) }) + missing
    }

    private static func rows(_ wake: TracedWake, _ hindrance: Hindrance, _ now: WallTime) -> [[String]] {
        let mail = [
            wake.notice.at.text, wake.notice.folder, uidWords(wake.notice, source: wake.uidSource),
        ]
        guard !wake.deliveries.isEmpty else { return [mail + ["none", fate(wake, hindrance), "none"]] }
        return wake.deliveries.map { trace in
            let answer = TraceReport.answer(trace, hindrance: hindrance.of(trace.device), now: now)
            return mail + ["\(trace.device.id)", answer, trace.apnsID]
        }
    }

    /// Of one that is for no device, or not yet.
    private static func fate(_ wake: TracedWake, _ hindrance: Hindrance) -> String {
        guard wake.end == nil else {
            let reason = wake.reason ?? "unknown"
            return "not sent: \(DropReason.words(of: reason) ?? reason)"
        }
        return "not yet: \(hindrance.ofAll ?? "dispatch hasn't come to it")"
    }
}
