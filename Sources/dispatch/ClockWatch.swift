internal import Posix

/// Notices when somebody sets the wall clock, by the boot clock beside it.
///
/// A clock that is set far ahead makes everything look old. Whether it is right now or was right before can't be told,
/// so for a while nothing ends because of its age; the clock may be set back.
struct ClockWatch: Equatable {
    /// How far the two clocks may drift apart between two looks; time servers slew by less.
    static let tolerance: Duration = .seconds(30)
    /// How long nothing ends by age after a jump.
    static let suspension: Duration = .seconds(600)

    /// The wall clock less the boot clock, when last looked at.
    private var offset: Duration?
    private var suspendedUntil: Duration?

    /// Compares the clocks; gives how far the wall clock has jumped, ahead or (negative) back.
    mutating func looked(wall: WallTime, boot: Duration) -> Duration? {
        let now = Duration.milliseconds(wall.milliseconds) - boot
        defer { offset = now }
        guard let offset, now - offset > Self.tolerance || offset - now > Self.tolerance else { return nil }
        suspendedUntil = boot + Self.suspension
        return now - offset
    }

    /// Whether an age by the wall clock may end anything.
    func agesCount(boot: Duration) -> Bool { suspendedUntil.map { boot >= $0 } ?? true }
}
