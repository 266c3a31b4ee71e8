internal import Posix

extension AnswerStep {
    /// Reads `STATUS [REASON] [NAME=VALUE]...`.
    init(parsing part: Substring, of line: ScriptLine) throws(ScriptFault) {
        let words = part.split(whereSeparator: \.isWhitespace)
        guard let first = words.first, let status = Int(first), (200...599).contains(status) else {
            throw line.fault(words.first ?? part, "expected a status from 200 to 599")
        }
        self.init(status: status, reason: Self.usualReason(status))
        for (index, word) in words.enumerated().dropFirst() {
            if let (name, value) = line.option(word) {
                try set(name, value, line)
            } else if index == 1, word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) {
                reason = String(word)
            } else {
                throw line.fault(word, "expected a reason behind the status, then NAME=VALUE")
            }
        }
    }

    private mutating func set(_ name: Substring, _ value: Substring, _ line: ScriptLine) throws(ScriptFault) {
        switch name {
        case "timestamp": timestamp = try line.time(value)
        case "date": date = try line.time(value)
        case "retry-after":
            retryAfter =
                if value.first?.isNumber == false {
                    .at(try line.time(value))
                } else {
                    .seconds(try line.number(value, "whole seconds"))
                }
        case "delay": delay = .milliseconds(try line.number(value, "whole milliseconds"))
        case "body":
            guard let form = Body(rawValue: String(value)) else {
                throw line.fault(value, "expected json, split, none or html")
            }
            body = form
        default: throw line.fault(name, "expected timestamp, date, retry-after, delay or body")
        }
    }
}

extension AnswerStep: CustomStringConvertible {
    /// As a script has it.
    var description: String {
        var words = ["\(status)"]
        if let reason { words.append(reason) }
        if let timestamp { words.append("timestamp=\(timestamp)") }
        switch retryAfter {
        case .seconds(let seconds): words.append("retry-after=\(seconds)")
        case .at(let time): words.append("retry-after=\(time)")
        case nil: break
        }
        if date != .fromNow(.zero) { words.append("date=\(date)") }
        if delay > .zero { words.append("delay=\(delay.wholeMilliseconds)") }
        if body != .json { words.append("body=\(body.rawValue)") }
        return words.joined(separator: " ")
    }
}
