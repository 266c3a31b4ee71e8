internal import Queue

/// What a salvage tells the person who asked for it.
struct SalvageTable {
    /// The whole output.
    let text: String

    init(_ report: QueueSalvage.Report) {
        let rows = report.tables.map { [$0.name, "\($0.copied)", Self.words($0.lost)] }
        let lines = rows.isEmpty ? [] : Self.aligned([["TABLE", "COPIED", "LOST"]] + rows)
        text = (lines + Self.notes(report)).map { $0 + "\n" }.joined()
    }

    private static func words(_ loss: SalvagedTable.Loss) -> String {
        switch loss {
        case .exactly(let count): "\(count)"
        case .some: "some"
        }
    }

    private static func aligned(_ rows: [[String]]) -> [String] {
        let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return (cells + [row[2]]).joined(separator: "  ")
        }
    }

    private static func notes(_ report: QueueSalvage.Report) -> [String] {
        let lost = Set(report.tables.filter { $0.lost != .exactly(0) }.map(\.name))
        var notes = ["the damaged queue is \(report.aside)"]
        if !report.tables.isEmpty, report.tables.allSatisfy({ $0.copied == 0 }) {
            return notes + ["nothing of it can be read: restore a backup before the daemons start"]
        }
        if !lost.isDisjoint(with: ["notices", "deliveries"]) {
            notes.append("wakes that are lost and whose entries are gone from the spool can't come back")
        }
        if !lost.isDisjoint(with: ["accounts", "devices"]) {
            notes.append("devices that are lost must be registered again; see doorbell device list")
        }
        return notes
    }
}
