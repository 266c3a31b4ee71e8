/// All that was said about what to answer and how to behave: rules for device tokens, scripts for connections.
struct Script {
    var answers = AnswerScript()
    var connections = ConnectionScripts()

    /// Reads the lines of a text; empty ones and those that start with `#` mean nothing.
    mutating func add(lines text: String) throws(ScriptFault) {
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            guard let first = line.first(where: { !$0.isWhitespace }), first != "#" else { continue }
            do throws(ScriptFault) {
                try add(line: line)
            } catch {
                throw ScriptFault(line: number, column: error.column, reason: error.reason)
            }
        }
    }

    /// Reads one line: a connection's script where it begins with that word, else a rule.
    mutating func add(line text: Substring) throws(ScriptFault) {
        let line = ScriptLine(text: text)
        if text.split(maxSplits: 1, whereSeparator: \.isWhitespace).first == "connection" {
            try connections.add(line)
        } else {
            try answers.add(line)
        }
    }
}
