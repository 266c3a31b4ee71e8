internal import Posix
internal import Queue

/// Watches, after dispatch has died, whether there is a delivery that it dies of.
///
/// What is taken in hand is then noted first, until all that was due at the start has been settled. Of those that were
/// in hand at a death one at a time is taken on each lane, beside what nobody doubts: so the next death tells which it
/// was, and what is blameless is soon settled.
struct PoisonWatch: Equatable {
    /// What was in hand at a death and hasn't come out of hand alive since; nil when nothing is noted.
    private(set) var doubted: Set<Int64>?
    private let begun: WallTime

    /// - Parameter end: how the last run ended; nil: as it should.
    init(after end: UncleanEnd?, now: WallTime) {
        doubted = end?.doubted
        begun = now
    }

    /// Whether what is taken in hand is noted.
    var isOn: Bool { doubted != nil }

    /// What must not be taken while these are in hand.
    func heldBack(beside inHand: some Sequence<Int64>) -> Set<Int64> {
        guard let doubted, !doubted.isDisjoint(with: inHand) else { return [] }
        return doubted
    }

    /// A delivery has come out of hand.
    mutating func settled(_ delivery: Int64) { doubted?.remove(delivery) }

    /// Ends the watch when all that was due at the start has been settled.
    ///
    /// - Parameter nextDue: when the first delivery that hasn't ended is or was due; nil: there is none.
    mutating func looked(nextDue: WallTime?) {
        if nextDue.map({ $0 > begun }) ?? true { doubted = nil }
    }
}
