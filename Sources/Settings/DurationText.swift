/// Durations as the configuration writes them: a whole number and a unit, `90s`, `5m`, `1h`, `7d`, and `500ms` where so
/// short ones make sense.
enum DurationText {
    private static let units: [(letter: Character, seconds: Int64)] = [
        ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]

    /// Reads a duration; nil for anything else, a number without a unit included.
    static func duration(_ text: String, inMilliseconds: Bool = false) -> Duration? {
        if inMilliseconds, text.hasSuffix("ms"), text.utf8.first != 0x2B, let number = Int64(text.dropLast(2))
        {
            return .milliseconds(number)
        }
        guard let unit = units.first(where: { $0.letter == text.last }), text.utf8.first != 0x2B,
            let number = Int64(text.dropLast())
        else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit.seconds)
        return overflow ? nil : .seconds(seconds)
    }

    /// Writes it with the largest unit that fits.
    static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        guard duration == .seconds(seconds) else { return "\(Int64(duration / .milliseconds(1)))ms" }
        let unit = units.first { seconds % $0.seconds == 0 } ?? ("s", 1)
        return "\(seconds / unit.seconds)\(unit.letter)"
    }
}
