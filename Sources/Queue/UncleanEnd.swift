/// What is known after dispatch has died: killed, crashed, or with the machine's power.
public struct UncleanEnd: Equatable, Sendable {
    /// Deliveries that were in hand at a death: one of them may be what it dies of.
    public var doubted: Set<Int64>
    /// Those that have now failed as poison, by their `apns-id`.
    public var poisoned: [String]

    /// Puts together what is known.
    public init(doubted: Set<Int64> = [], poisoned: [String] = []) {
        (self.doubted, self.poisoned) = (doubted, poisoned)
    }
}
