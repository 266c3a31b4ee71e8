extension AnswerRule {
    /// Reads `TOKENPREFIX|* = STEP, STEP, …`.
    init(parsing line: ScriptLine) throws(ScriptFault) {
        let (head, parts) = try line.halves(expecting: "expected TOKENPREFIX = STATUS, …")
        prefix = try Self.prefix(head, line)
        var steps: [AnswerStep] = []
        for part in parts { steps.append(try AnswerStep(parsing: part, of: line)) }
        self.steps = steps
    }

    private static func prefix(_ part: Substring, _ line: ScriptLine) throws(ScriptFault) -> String {
        let words = part.split(whereSeparator: \.isWhitespace)
        guard words.count == 1, words[0] == "*" || words[0].allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw line.fault(
                words.first ?? part, "expected the first hexadecimal digits of a device token, or *")
        }
        return words[0] == "*" ? "" : words[0].lowercased()
    }
}
