internal import APNs
internal import Posix
internal import Queue

/// What became of one delivery, for the person who has found its `apns-id` in a log.
struct TraceReport {
    /// One fact a line; the first says whether it reached Apple.
    let text: String

    /// - Parameter hindrance: why nothing goes to its device now, if anything keeps it.
    init(_ trace: Trace, hindrance: String?, now: WallTime) {
        text = aligned(
            [["reached Apple", Self.answer(trace, hindrance: hindrance, now: now)]]
                + Self.delivery(trace, now: now)
                + Self.notice(trace) + Self.device(trace.device, now: now))
    }

    /// Where Apple didn't answer, nobody can say more than perhaps.
    static func answer(_ trace: Trace, hindrance: String?, now: WallTime) -> String {
        let reason = trace.reason ?? "unknown"
        switch trace.end.map(End.init(rawValue:)) {
        case .sent where reason == Acceptance.byStandIn.rawValue:
            return "no, \(reason) (DOORBELL_APNS_HOST)"
        case .sent: return "yes, accepted"
        case .failed where reason.hasPrefix(QueueStore.poison):
            return "perhaps, given up: each time it was taken dispatch died"
        case .failed where isOwn(reason): return "no, failed before a request: \(reason)"
        case .failed: return "yes, refused: \(reason)"
        case .expired, .dropped:
            // The queue writes the reason of the last try behind that of the end.
            let last = reason.firstRange(of: " after ").map { String(reason[$0.upperBound...]) }
            let words = DropReason.words(of: reason) ?? reason
            return last.map(isAmbiguous) ?? (trace.attempts > 0)
                ? "perhaps, but not accepted in time: \(words)" : "not accepted: \(words)"
        case .some(.none): return "unknown, ended as a later version of this program ends wakes"
        case .none: return "\(waiting(trace))\(hindrance ?? nextTry(trace, now: now))"
        }
    }

    private static func waiting(_ trace: Trace) -> String {
        guard let reason = trace.reason else { return "not yet: " }
        return "\(isAmbiguous(reason) ? "perhaps" : "not yet"): \(reason); "
    }

    /// Whether a try that ended so may have reached Apple all the same.
    private static func isAmbiguous(_ reason: String) -> Bool {
        [Disposition.TransportFailure.lost, .timedOut].contains { $0.summary == reason }
    }

    private static func nextTry(_ trace: Trace, now: WallTime) -> String {
        trace.nextAttemptAt > now ? "next try \(trace.nextAttemptAt.text)" : "due"
    }

    /// Whether it failed by this program's own judgement: Apple's reasons are single words.
    private static func isOwn(_ reason: String) -> Bool {
        reason.contains(" ") && !reason.hasPrefix("status ")
    }

    private static func delivery(_ trace: Trace, now: WallTime) -> [[String]] {
        var rows = [["apns-id", trace.apnsID], ["delivery", "\(trace.delivery)"]]
        if let endedAt = trace.endedAt {
            let reason = trace.reason.map { ", \($0)" } ?? ""
            rows.append(["state", "\(trace.end ?? "ended") \(endedAt.text)\(reason)"])
        } else {
            rows.append(["state", trace.nextAttemptAt > now ? "deferred" : "queued"])
        }
        if let successor = trace.supersededBy {
            let id = successor.apnsID.map { ", apns-id \($0)" } ?? ", which is forgotten"
            rows.append(["superseded by", "delivery \(successor.delivery)\(id)"])
        }
        return rows + [["attempts", "\(trace.attempts)"], ["expires", trace.expiration.text]]
    }

    private static func notice(_ trace: Trace) -> [[String]] {
        let notice = trace.notice
        return [
            ["notice", "\(notice.id): \(notice.user), \(notice.folder)"],
            ["uid", uidWords(notice, source: trace.uidSource)],
            ["mail arrived", notice.at.text], ["in the queue", trace.insertedAt.text],
            ["fanned out", trace.decidedAt?.text ?? "not yet"],
        ]
    }

    private static func device(_ device: Device, now: WallTime) -> [[String]] {
        [
            ["device", "\(device.id): \(device.state(now: now))"],
            ["lane", "\(device.environment) \(device.topic)"], ["last seen", device.lastSeen],
            ["last failure", device.failure],
        ]
    }
}
