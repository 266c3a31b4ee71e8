internal import SpoolDirectories

/// Which names of one pass over the spool are taken up: the oldest of each owner, in bounded memory.
///
/// A directory of any size is streamed through it. Owners take turns in what comes out, so that one who floods the
/// spool delays only himself.
struct NameSelection {
    private var names: [UInt32: [SpoolName]] = [:]
    private var count = 0
    private var perOwner: Int
    private let inAll: Int
    /// How many names were left out.
    private(set) var leftOut = 0

    /// Starts empty.
    ///
    /// - Parameters:
    ///   - perOwner: the most names of one owner.
    ///   - inAll: the most names; where more owners than that share it, each gets fewer.
    init(perOwner: Int = 512, inAll: Int = 64 * 1024) { (self.perOwner, self.inAll) = (perOwner, inAll) }

    /// Considers one name of a pass.
    mutating func offer(_ name: SpoolName, owner: UInt32) {
        names[owner, default: []].append(name)
        count += 1
        // Twice the bound before sorting, so that a flood costs one sort in many names.
        if let kept = names[owner]?.count, kept >= 2 * perOwner { trim(owner) }
        while count > inAll {
            if perOwner > 1 {
                perOwner /= 2
                for owner in names.keys { trim(owner) }
            } else {
                names[owner] = nil
                count -= 1
                leftOut += 1
            }
        }
    }

    /// What was selected: the oldest name of every owner, then the second oldest of each, and so on.
    mutating func inTurns() -> [SpoolName] {
        for owner in names.keys { trim(owner) }
        let owners = names.values.sorted { $0[0] < $1[0] }
        return (0..<perOwner).flatMap { turn in owners.compactMap { turn < $0.count ? $0[turn] : nil } }
    }

    private mutating func trim(_ owner: UInt32) {
        guard var mine = names[owner] else { return }
        mine.sort()
        let surplus = max(0, mine.count - perOwner)
        mine.removeLast(surplus)
        names[owner] = mine
        count -= surplus
        leftOut += surplus
    }
}
