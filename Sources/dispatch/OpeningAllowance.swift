/// Keeps a lane from opening connections in quick succession, however each of them ends.
///
/// Apple takes rapid connecting and disconnecting for an attack (Sending notification requests to APNs). A lane may
/// open 30 at once, and each second gives it one more, up to 30 again.
struct OpeningAllowance: Equatable {
    /// How many may be opened at once.
    static let burst = 30
    /// How long it takes until one more may.
    static let interval: Duration = .seconds(1)

    /// When the whole burst is there again, as if each opening so far had taken an interval.
    private var fullAt: Duration = .zero

    /// From when on the next one may be opened, in time since boot.
    var next: Duration { fullAt - Self.interval * (Self.burst - 1) }

    /// Takes the place of one that is opened.
    mutating func take(now: Duration) { fullAt = max(fullAt, now) + Self.interval }
}
