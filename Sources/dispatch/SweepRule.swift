internal import Posix

/// Decides when devices that nobody has seen for long are swept out.
///
/// The rule is afraid of clocks: one that is years ahead for an hour must not cost anybody a device. So a sweep needs
/// a mark that the last one left one week ago or two; whoever comes later, or comes from the past, leaves a new mark
/// first and sweeps a week from there.
enum SweepRule: Equatable {
    /// From one sweep to the next.
    static let interval: Duration = .seconds(7 * 86_400)
    /// A mark that is older was left by another clock, or the machine was off: nobody could be seen meanwhile.
    static let oldestMark: Duration = .seconds(14 * 86_400)
    /// A device that neither registered nor took a push for so long is gone.
    static let unseen: Duration = .seconds(90 * 86_400)

    case wait
    /// Nothing is swept; the mark is set to now.
    case markOnly
    /// Devices are swept, then the mark is set to now.
    case sweep

    /// Looks at the mark of the last sweep.
    static func decide(sweptAt: WallTime?, now: WallTime) -> SweepRule {
        guard let sweptAt, sweptAt <= now, now <= sweptAt.advanced(by: oldestMark) else { return .markOnly }
        return now < sweptAt.advanced(by: interval) ? .wait : .sweep
    }
}
