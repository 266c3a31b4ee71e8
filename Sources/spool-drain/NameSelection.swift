/// Which names of one pass over the spool are taken up: the oldest of each owner, in bounded memory.
///
/// A directory of any size is streamed through it. Owners take turns in what comes out, so that one who floods the
/// spool delays only himself.
struct NameSelection {
    /// The most names of one owner.
    static let maximumPerOwner = 512
    /// The most names in all.
    static let maximumInAll = 64 * 1024

    private var names: [UInt32: [SpoolName]] = [:]
    private var count = 0
    private var perOwner = maximumPerOwner
    /// How many names were left out.
    private(set) var leftOut = 0

    /// Considers one name of a pass.
    mutating func offer(_ name: SpoolName, owner: UInt32) {
        names[owner, default: []].append(name)
        count += 1
        // Twice the bound before sorting, so that a flood costs one sort in many names.
        if let kept = names[owner]?.count, kept >= 2 * perOwner { trim(owner) }
        while count > Self.maximumInAll {
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
