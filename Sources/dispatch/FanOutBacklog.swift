/// Decides whether lanes wait until more notices have been fanned out.
///
/// Of stale mail only the newest of a device and folder rings (`Submission`), and which that is isn't known before all
/// of it has its deliveries. Not for ever: stale notices that keep coming must not silence what is fresh.
struct FanOutBacklog {
    /// A backlog that takes longer holds nothing up any more.
    static let longestWait: Duration = .seconds(30)

    /// Since when each turn has left notices for the next.
    private var since: Duration?

    /// Looks at what a turn has fanned out.
    ///
    /// - Parameters:
    ///   - moreWait: whether notices may be left.
    ///   - hasStale: whether any of this turn's was stale.
    ///   - now: time since boot.
    mutating func holdsUpLanes(moreWait: Bool, hasStale: Bool, now: Duration) -> Bool {
        guard moreWait else {
            since = nil
            return false
        }
        let start = since ?? now
        since = start
        return hasStale && now < start + Self.longestWait
    }
}
