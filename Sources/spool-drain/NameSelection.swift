internal import SpoolDirectories

/// Which names of one pass over the spool are taken up: the oldest of each owner, in bounded memory.
///
/// A directory of any size is streamed through it. Owners take turns in what comes out, so that one who floods the
/// spool delays only himself.
struct NameSelection {
    /// The oldest names of one owner, as far as they are kept.
    private struct Mine {
        var names: [SpoolName] = []
        /// Once names were left out, one that isn't older than this is left out at once.
        var bound: SpoolName?
    }

    private var owners: [UInt32: Mine] = [:]
    private var count = 0
    private var perOwner: Int
    private let inAll: Int
    private let passed: [UInt32: SpoolName]
    /// How many names were left out.
    private(set) var leftOut = 0
    /// How many names were passed over because their owner's entries up to there are held back.
    private(set) var heldBack = 0

    /// How many owners have a name in the selection.
    var round: Int { owners.count }

    /// Starts empty.
    ///
    /// - Parameters:
    ///   - passed: the name of each owner from which on names count; those up to it are passed over.
    ///   - inAll: the most names; where several owners share it, each gets as many.
    init(beyond passed: [UInt32: SpoolName] = [:], inAll: Int = 64 * 1024) {
        (self.passed, self.inAll, perOwner) = (passed, inAll, inAll)
    }

    /// Considers one name of a pass.
    ///
    /// - Parameter isNew: whether no pass before can have seen it; then it is never passed over.
    mutating func offer(_ name: SpoolName, owner: UInt32, isNew: Bool = false) {
        if !isNew, let passed = passed[owner], name <= passed {
            heldBack += 1
            return
        }
        if let bound = owners[owner]?.bound, name > bound {
            leftOut += 1
            return
        }
        owners[owner, default: Mine()].names.append(name)
        count += 1
        // Twice the bound before sorting, so that a flood costs one sort in many names.
        if let kept = owners[owner]?.names.count, kept >= 2 * perOwner { trim(owner) }
        while count > inAll {
            if perOwner > 1 {
                perOwner /= 2
                for owner in Array(owners.keys) { trim(owner) }
            } else {
                owners[owner] = nil
                count -= 1
                leftOut += 1
            }
        }
    }

    /// What was selected: the oldest name of every owner, then the second oldest of each, and so on.
    mutating func inTurns() -> [SpoolName] {
        for owner in Array(owners.keys) { trim(owner) }
        var queues = owners.values.map(\.names).sorted { $0[0] < $1[0] }
        var names: [SpoolName] = []
        for turn in 0..<inAll where !queues.isEmpty {
            names += queues.map { $0[turn] }
            queues.removeAll { $0.count == turn + 1 }
        }
        return names
    }

    private mutating func trim(_ owner: UInt32) {
        guard var mine = owners.removeValue(forKey: owner) else { return }
        mine.names.sort()
        let surplus = max(0, mine.names.count - perOwner)
        mine.names.removeLast(surplus)
        if surplus > 0 { mine.bound = mine.names.last }
        owners[owner] = mine
        count -= surplus
        leftOut += surplus
    }
}
