internal import SpoolDirectories

/// What `corrupt` may hold: of each owner the newest entries up to two bounds, and a bound in all.
///
/// Takes entries in any order, and never remembers more than it lets stay.
struct CorruptHolding {
    /// The most entries of one owner: enough to see what is wrong.
    static let entriesPerOwner = 100
    /// The most bytes of one owner's entries together.
    static let bytesPerOwner = 1 << 20

    private let entriesInAll: Int
    /// Of each owner the oldest first.
    private var owners: [UInt32: [CorruptEntry]] = [:]
    private var count = 0

    /// Starts empty.
    ///
    /// - Parameter entriesInAll: the most entries.
    init(entriesInAll: Int = 10_000) { self.entriesInAll = entriesInAll }

    /// Takes in an entry; gives those that have to go, which it may be itself.
    mutating func add(_ entry: CorruptEntry) -> [SpoolName] {
        // One that is too large alone takes no other along.
        guard entry.size <= Self.bytesPerOwner else { return [entry.name] }
        var entries = owners.removeValue(forKey: entry.owner) ?? []
        entries.insert(entry, at: entries.firstIndex { entry < $0 } ?? entries.endIndex)
        count += 1
        var surplus: [SpoolName] = []
        while entries.count > Self.entriesPerOwner
            || entries.reduce(0, { $0 + $1.size }) > Self.bytesPerOwner
        {
            surplus.append(entries.removeFirst().name)
        }
        owners[entry.owner] = entries
        count -= surplus.count
        if count > entriesInAll, let oldest = removeOldest() { surplus.append(oldest) }
        return surplus
    }

    private mutating func removeOldest() -> SpoolName? {
        guard let oldest = owners.values.compactMap(\.first).min() else { return nil }
        owners[oldest.owner]?.removeFirst()
        if owners[oldest.owner]?.isEmpty == true { owners[oldest.owner] = nil }
        count -= 1
        return oldest.name
    }
}
