/// Where a rule can't be read, and why.
struct AnswerScriptFault: Error, Equatable, CustomStringConvertible {
    /// Counted from 1; nil for a rule that isn't part of a file.
    var line: Int?
    /// Counted from 1, in characters.
    let column: Int
    let reason: String

    var description: String {
        if let line { "\(line):\(column): \(reason)" } else { "column \(column): \(reason)" }
    }
}
