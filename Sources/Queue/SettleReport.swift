/// What came of a batch of settlements.
public struct SettleReport: Equatable, Sendable {
    /// What became of each settlement, in their order.
    public var outcomes: [Settled]
    /// The devices removed, which needn't be those that were settled for.
    public var removed: [RemovedDevice]
    /// The devices that a strike has disabled, by id.
    public var disabled: [Int64]

    /// Puts a report together.
    public init(outcomes: [Settled] = [], removed: [RemovedDevice] = [], disabled: [Int64] = []) {
        self.outcomes = outcomes
        self.removed = removed
        self.disabled = disabled
    }
}
