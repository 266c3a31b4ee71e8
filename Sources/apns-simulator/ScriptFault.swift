/// Where a script can't be read, and why.
struct ScriptFault: Error, Equatable, CustomStringConvertible {
    /// Counted from 1; nil for a line that isn't part of a file.
    var line: Int?
    /// Counted from 1, in characters.
    let column: Int
    let reason: String

    var description: String {
        if let line { "\(line):\(column): \(reason)" } else { "column \(column): \(reason)" }
    }
}
