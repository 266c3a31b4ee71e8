/// The moment that a 410 speaks of.
public enum Unregistration {
    /// Tells when Apple last saw the token invalid: a device that registered later is a new one (Apple: Handling
    /// notification responses from APNs, `timestamp`).
    ///
    /// - Parameters:
    ///   - timestamp: from the answer, in milliseconds since the epoch; missing ones and nonsense (seconds, zero,
    ///     times to come) count as the moment of asking.
    ///   - requestedAt: when the request was submitted, in milliseconds.
    /// - Returns: milliseconds since the epoch.
    public static func moment(timestamp: Int64?, requestedAt: Int64) -> Int64 {
        guard let timestamp, plausible.contains(timestamp), timestamp <= requestedAt + clockTolerance else {
            return requestedAt
        }
        return timestamp
    }

    /// From 2001 to 2286: seconds taken for milliseconds fall before it.
    private static let plausible: ClosedRange<Int64> = 1_000_000_000_000...9_999_999_999_999
    /// How far ahead of ours Apple's clock may be.
    private static let clockTolerance: Int64 = 5 * 60 * 1000
}
