internal import Posix
internal import Queue

extension Device {
    /// What is the matter with it, since when and why, for a person.
    func state(now: WallTime) -> String {
        if let removedAt { return "removed \(removedAt.text): \(removedReason ?? "unknown")" }
        let failure = lastFailure.map { ": \($0)" } ?? ""
        if let disabledAt { return "disabled since \(disabledAt.text)\(failure)" }
        if let suspectSince { return "suspect since \(suspectSince.text)\(failure)" }
        if let throttledUntil, throttledUntil > now {
            return "throttled until \(throttledUntil.text)\(failure)"
        }
        return "live"
    }

    /// When the service last took a wake for it, for a person.
    var lastSeen: String { lastSeenAt?.text ?? "never" }

    /// When the service last had something against it, and what, for a person.
    var failure: String {
        guard let lastFailure else { return "none" }
        return (lastFailedAt.map { "\($0.text): " } ?? "") + lastFailure
    }
}
