internal import SQLite

/// Copies one table row by row and goes around what can't be read.
struct TableCopy {
    /// How many ids that can't be read it tries, as damage may tell of more than there can be.
    private static let patience = 100_000

    private let source: Connection
    private let new: Connection
    private let name: String
    private var copied = 0
    /// Ids that were tried and can't be read, with or without a row.
    private var unreadable = 0
    /// Rows that were read and don't fit: of no sense, or belonging to one that is lost.
    private var unfit = 0
    private var isComplete = true
    /// What the new queue has against a row that isn't the row's fault.
    private var failure: SQLiteError?

    init(from source: Connection, into new: Connection, _ name: String) {
        (self.source, self.new, self.name) = (source, new, name)
    }

    /// What has come of it.
    var result: SalvagedTable {
        let loss: SalvagedTable.Loss =
            if isComplete {
                .exactly(unfit)
            } else if let count = try? source.count(of: name), count > copied {
                // By an index, which may be whole where the table isn't.
                .exactly(count - copied)
            } else {
                .some
            }
        return SalvagedTable(name: name, copied: copied, lost: loss)
    }

    /// Copies what can be read; throws what keeps the new queue from being written.
    mutating func run() throws(SQLiteError) {
        guard try new.hasRowIDs(name), let last = lastID() else { return try copyFromBothEnds() }
        guard let behind = try copy(1...last, descending: false) else { return }
        isComplete = false
        if let between = try copy(behind, descending: true) { try goAround(between) }
    }

    /// The highest id there can be a row of; nil when neither the table nor SQLite's note of it can be read.
    ///
    /// Both may be damaged, and the lower one would leave rows behind: a page that is cut short has rows of id 0.
    private func lastID() -> Int64? {
        let highest = try? source.highestRowID(of: name)
        let noted = try? source.first("SELECT seq FROM sqlite_sequence WHERE name = ?1", [.text(name)]) {
            $0.integer(0) as Int64
        }
        return [highest, noted].compactMap { $0 }.max().map { min(max(1, $0), SalvageSource.lastSensibleID) }
    }

    /// Copies the rows with these ids from one end on; gives the ids that are left where SQLite can't read on.
    private mutating func copy(_ ids: ClosedRange<Int64>, descending: Bool) throws(SQLiteError)
        -> ClosedRange<Int64>?
    {
        var (first, last) = (ids.lowerBound, ids.upperBound)
        let isRead: Void? = try? source.forEachRow(of: name, in: ids, descending: descending) { id, values in
            if descending { last = min(last, id - 1) } else { first = max(first, id + 1) }
            return insert(values)
        }
        if let failure { throw failure }
        return isRead == nil && first <= last ? first...last : nil
    }

    /// Copies what stands between two ids at which SQLite can't read, from the middle on to both sides.
    private mutating func goAround(_ ids: ClosedRange<Int64>) throws(SQLiteError) {
        guard ids.lowerBound < ids.upperBound, unreadable < Self.patience else {
            unreadable += 1
            return
        }
        let middle = ids.lowerBound + (ids.upperBound - ids.lowerBound) / 2
        if let rest = try copy(ids.lowerBound...middle, descending: true) { try goAround(rest) }
        if let rest = try copy(middle + 1...ids.upperBound, descending: false) { try goAround(rest) }
    }

    /// Copies from the first row on, and, where SQLite can't read on, from the last one back.
    private mutating func copyFromBothEnds() throws(SQLiteError) {
        for descending in [false, true] where isComplete != descending {
            let isRead: Void? = try? source.forEachRow(of: name, descending: descending) { insert($0) }
            if let failure { throw failure }
            if isRead == nil { isComplete = false }
        }
    }

    /// Tells whether to go on.
    private mutating func insert(_ values: [Value]) -> Bool {
        do throws(SQLiteError) {
            try new.insert(values, into: name)
            copied += 1
        } catch {
            switch error.code.primary {
            case .constraint, .mismatch, .tooBig: unfit += 1
            default:
                failure = error
                return false
            }
        }
        return true
    }
}
