/// How long a delivery waits after a try that failed for the time being.
///
/// | tries so far | wait without jitter |
/// |---|---|
/// | 1 | 2 s |
/// | 2 | 8 s |
/// | 3 | 32 s |
/// | 4 | 128 s |
/// | 5 | 512 s |
/// | 6 and more | 900 s, Apple's quarter of an hour |
///
/// The first is quick because most trouble is over after one new connection. Jitter takes off up to a half.
public enum RetrySchedule {
    /// The longest wait of our own (Apple: retry 5xx after 15 minutes).
    public static let longest: Duration = .seconds(900)
    /// What a server may ask for at the least and at the most.
    public static let acceptedRetryAfter: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)

    /// No delivery ever waits longer, rounding included.
    public static let longestWait: Duration = .seconds(2 * 3600)

    /// Gives the wait before the next try.
    ///
    /// - Parameters:
    ///   - attempts: tries that count, this one included; at least 1.
    ///   - retryAfter: what the server asked for; then nothing else counts.
    ///   - jitter: from 0 to 1, at random.
    public static func delay(attempts: Int, retryAfter: Duration?, jitter: Double) -> Duration {
        if let retryAfter {
            return min(max(retryAfter, acceptedRetryAfter.lowerBound), acceptedRetryAfter.upperBound)
        }
        // Capped before it is computed: 4^60 seconds don't fit into anything.
        let exponent = min(max(attempts, 1), 6) - 1
        let full = min(.seconds(2 << (2 * exponent)), longest)
        return full * (1 - min(max(jitter, 0), 1) / 2)
    }
}
