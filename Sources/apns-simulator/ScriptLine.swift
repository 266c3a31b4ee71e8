internal import Posix

/// One line of a script, whose parts are substrings and so know where in it they stand.
struct ScriptLine {
    let text: Substring

    func fault(_ part: Substring, _ reason: String) -> ScriptFault {
        ScriptFault(column: text.distance(from: text.startIndex, to: part.startIndex) + 1, reason: reason)
    }

    /// What stands before the first `=`, and the steps behind it, by the commas between them.
    func halves(expecting form: String) throws(ScriptFault) -> (head: Substring, steps: [Substring]) {
        guard let equals = text.firstIndex(of: "=") else { throw fault(text[text.endIndex...], form) }
        let steps = text[text.index(after: equals)...].split(
            separator: ",", omittingEmptySubsequences: false)
        return (text[..<equals], steps)
    }

    /// The two halves of `NAME=VALUE`, or nil for a word without an equals sign.
    func option(_ word: Substring) -> (name: Substring, value: Substring)? {
        word.firstIndex(of: "=").map { (word[..<$0], word[word.index(after: $0)...]) }
    }

    func number(_ value: Substring, _ what: String) throws(ScriptFault) -> Int64 {
        guard let number = wholeNumber(value) else {
            throw fault(value, "expected \(what), less than 2^32")
        }
        return number
    }

    /// A number with its unit, such as `500ms` or `1h`; nil for anything else.
    func span(_ text: Substring) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let amount = wholeNumber(digits),
            let unit = units.first(where: { $0.name == text.dropFirst(digits.count) })
        else { return nil }
        return .milliseconds(amount * unit.milliseconds)
    }

    /// A point in time: milliseconds since 1970, or `now`, or `now` moved by a span; `+1h` is `now+1h`.
    func time(_ value: Substring) throws(ScriptFault) -> ScriptedTime {
        if let milliseconds = wholeNumber(value, below: Int64.max) {
            return .at(WallTime(milliseconds: milliseconds))
        }
        let shift = value.hasPrefix("now") ? value.dropFirst(3) : value
        if shift.isEmpty, !value.isEmpty { return .fromNow(.zero) }
        guard let sign = shift.first, sign == "+" || sign == "-", let span = span(shift.dropFirst()) else {
            throw fault(value, "expected milliseconds since 1970, now, or now with a span: now-1h")
        }
        return .fromNow(sign == "+" ? span : .zero - span)
    }

    private func wholeNumber(_ text: Substring, below bound: Int64 = 1 << 32) -> Int64? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(text), number < bound else {
            return nil
        }
        return number
    }
}

/// What may stand behind a number, the largest first.
private let units: [(name: Substring, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
]

extension Duration {
    /// As a script has it, with the largest unit there is for it: the number then is one that can be read.
    var scriptText: String {
        let milliseconds = wholeMilliseconds
        let unit = units.first { milliseconds.isMultiple(of: $0.milliseconds) } ?? ("ms", 1)
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
