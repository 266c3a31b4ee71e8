internal import SQLite

/// Copies one table row by row and goes around what can't be read.
struct TableCopy {
    private let source: Connection
    private let new: Connection
    private let name: String
    private var copied = 0
    /// Ids that can't be read, with or without a row.
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
            } else if let count = try? source.count(of: name) {
                // By an index, which may be whole where the table isn't.
                .exactly(max(0, count - copied))
            } else {
                .some
            }
        return SalvagedTable(name: name, copied: copied, lost: loss)
    }

    /// Copies what can be read; throws what keeps the new queue from being written.
    mutating func run() throws(SQLiteError) {
        if try new.hasRowIDs(name), let last = lastID() {
            try copy(1...last)
        } else {
            try copyFromBothEnds()
        }
    }

    /// The highest id there can be a row of; nil when neither the table nor SQLite's note of it can be read.
    private func lastID() -> Int64? {
        let highest = try? source.highestRowID(of: name)
        let noted = try? source.first("SELECT seq FROM sqlite_sequence WHERE name = ?1", [.text(name)]) {
            $0.integer(0) as Int64
        }
        return (highest ?? noted).map { max(1, $0) }
    }

    /// Copies the rows with these ids; where SQLite can't read on, halves what is left of them.
    private mutating func copy(_ ids: ClosedRange<Int64>) throws(SQLiteError) {
        var last = ids.lowerBound - 1
        let isRead: Void? = try? source.forEachRow(of: name, in: ids) { id, values in
            last = max(last, id)
            return insert(values)
        }
        if let failure { throw failure }
        guard isRead == nil, last < ids.upperBound else { return }
        isComplete = false
        guard last + 1 < ids.upperBound else {
            unreadable += 1
            return
        }
        let middle = last + 1 + (ids.upperBound - last - 1) / 2
        try copy(last + 1...middle)
        try copy(middle + 1...ids.upperBound)
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
