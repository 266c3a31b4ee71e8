internal import Posix

extension AnswerRule {
    /// Reads `TOKENPREFIX|* = STEP, STEP, …`.
    init(parsing text: Substring) throws(AnswerScriptFault) {
        let parser = AnswerRuleParser(text: text)
        guard let equals = text.firstIndex(of: "=") else {
            throw parser.fault(text[text.endIndex...], "expected TOKENPREFIX = STATUS, …")
        }
        prefix = try parser.prefix(text[..<equals])
        var steps: [AnswerStep] = []
        for step in text[text.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
        {
            steps.append(try parser.step(step))
        }
        self.steps = steps
    }
}

/// Reads the parts of one rule; the parts know where in the rule they stand.
private struct AnswerRuleParser {
    let text: Substring

    func fault(_ part: Substring, _ reason: String) -> AnswerScriptFault {
        AnswerScriptFault(
            column: text.distance(from: text.startIndex, to: part.startIndex) + 1, reason: reason)
    }

    func prefix(_ part: Substring) throws(AnswerScriptFault) -> String {
        let words = part.split(whereSeparator: \.isWhitespace)
        guard words.count == 1, words[0] == "*" || words[0].allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw fault(words.first ?? part, "expected the first hexadecimal digits of a device token, or *")
        }
        return words[0] == "*" ? "" : words[0].lowercased()
    }

    func step(_ part: Substring) throws(AnswerScriptFault) -> AnswerStep {
        let words = part.split(whereSeparator: \.isWhitespace)
        guard let first = words.first, let status = Int(first), (200...599).contains(status) else {
            throw fault(words.first ?? part, "expected a status from 200 to 599")
        }
        var step = AnswerStep(status: status, reason: AnswerStep.usualReason(status))
        for (index, word) in words.enumerated().dropFirst() {
            if let equals = word.firstIndex(of: "=") {
                let value = word[word.index(after: equals)...]
                try set(&step, name: word[..<equals], value: value)
            } else if index == 1, word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) {
                step.reason = String(word)
            } else {
                throw fault(word, "expected a reason behind the status, then NAME=VALUE")
            }
        }
        return step
    }

    private func set(_ step: inout AnswerStep, name: Substring, value: Substring) throws(AnswerScriptFault) {
        switch name {
        case "timestamp": step.timestamp = try timestamp(value)
        case "retry-after": step.retryAfterSeconds = Int(try number(value, "seconds"))
        case "delay": step.delay = .milliseconds(try number(value, "milliseconds"))
        default: throw fault(name, "expected timestamp, retry-after or delay")
        }
    }

    private func number(_ value: Substring, _ what: String) throws(AnswerScriptFault) -> Int64 {
        guard value.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt32(value) else {
            throw fault(value, "expected whole \(what), less than 2^32")
        }
        return Int64(number)
    }

    /// Milliseconds since the epoch, `now`, or `now` moved by a number with s, m, h or d.
    private func timestamp(_ value: Substring) throws(AnswerScriptFault) -> AnswerStep.Timestamp {
        let expectation = "expected milliseconds since 1970, now, or now with a span: now-1h"
        guard value.hasPrefix("now") else {
            guard let milliseconds = Int64(value), milliseconds >= 0 else { throw fault(value, expectation) }
            return .at(WallTime(milliseconds: milliseconds))
        }
        let span = value.dropFirst(3)
        guard let sign = span.first, let unit = span.last else { return .ago(.zero) }
        let seconds: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let scale = seconds[unit], sign == "-" || sign == "+", span.count > 2 else {
            throw fault(value, expectation)
        }
        let amount = try number(span.dropFirst().dropLast(), "units")
        return .ago(.seconds(amount * scale * (sign == "-" ? 1 : -1)))
    }
}
