/// Finds out whether this machine's wall clock is wrong, by the `date` of Apple's answers.
///
/// Apple judges a provider token by its own clock: one that is far ahead or behind has it refused.
public struct ClockSkew: Equatable, Sendable {
    /// How far the two may be apart: answers are on the way for a while, and dates have whole seconds.
    ///
    /// A clock that was wrong is right again within half of it: none at the edge is told of again and again.
    public static let tolerance: Int64 = 60

    /// What has changed, for a line in the log.
    public enum Change: Equatable, Sendable, CustomStringConvertible {
        /// By so many seconds.
        case ahead(Int64)
        /// By so many seconds.
        case behind(Int64)
        case rightAgain

        /// The change in words.
        public var description: String {
            switch self {
            case .ahead(let seconds): "this machine's clock is \(seconds) s ahead of Apple's"
            case .behind(let seconds): "this machine's clock is \(seconds) s behind Apple's"
            case .rightAgain: "this machine's clock agrees with Apple's again"
            }
        }
    }

    /// How far the clock is ahead, negative when it is behind, 0 within the tolerance; nil before the first answer.
    public private(set) var seconds: Int64?
    /// What was last told: a clock that is off by another minute is worth another line.
    private var told: Int64 = 0

    /// Starts without an opinion.
    public init() {}

    /// Compares an answer's date with our own times, all in seconds since the epoch.
    ///
    /// - Parameters:
    ///   - answeredAt: the answer's `date`.
    ///   - requestedAt: when the request was submitted.
    ///   - receivedAt: when the answer was here.
    /// - Returns: what is new about the clock.
    public mutating func observed(answeredAt: Int64, requestedAt: Int64, receivedAt: Int64) -> Change? {
        let tolerance = told == 0 ? Self.tolerance : Self.tolerance / 2
        let skew = Self.distance(from: answeredAt, to: requestedAt, receivedAt, tolerance: tolerance)
        seconds = skew
        guard (skew == 0) != (told == 0) || difference(skew, told).magnitude > Self.tolerance.magnitude else {
            return nil
        }
        told = skew
        if skew == 0 { return .rightAgain }
        return skew > 0 ? .ahead(skew) : .behind(0 - skew)
    }

    /// An answer is made between its request and its arrival; what lies outside by more than the tolerance is skew.
    private static func distance(
        from answeredAt: Int64, to requestedAt: Int64, _ receivedAt: Int64, tolerance: Int64
    ) -> Int64 {
        let ahead = difference(min(requestedAt, receivedAt), answeredAt)
        let behind = difference(answeredAt, max(requestedAt, receivedAt))
        if ahead > tolerance { return ahead }
        return behind > tolerance ? 0 - behind : 0
    }
}

/// The difference, as far as it fits; never the one number that has no opposite.
private func difference(_ left: Int64, _ right: Int64) -> Int64 {
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    guard overflow else { return max(difference, -.max) }
    return left < right ? -.max : .max
}
