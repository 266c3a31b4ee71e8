/// Knows what is answered next to each device token: 200, where no rule says otherwise.
///
/// The rule with the longest fitting prefix counts. Its steps are used up in order, for each device token by itself;
/// the last step is repeated.
struct AnswerScript {
    private var rules: [AnswerRule] = []
    private var used: [String: Int] = [:]

    /// Reads rules from the lines of a text; empty ones and those that start with `#` mean nothing.
    mutating func add(lines text: String) throws(AnswerScriptFault) {
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            guard let first = line.first(where: { !$0.isWhitespace }), first != "#" else { continue }
            do throws(AnswerScriptFault) {
                try add(rule: line)
            } catch {
                throw AnswerScriptFault(line: number, column: error.column, reason: error.reason)
            }
        }
    }

    /// Reads one rule.
    mutating func add(rule text: Substring) throws(AnswerScriptFault) {
        let rule = try AnswerRule(parsing: text)
        guard !rules.contains(where: { $0.prefix == rule.prefix }) else {
            throw AnswerScriptFault(column: 1, reason: "there is a rule for these device tokens already")
        }
        rules.append(rule)
    }

    /// Gives the next answer to this device token and counts it as used.
    mutating func next(for deviceToken: String) -> AnswerStep {
        let fitting = rules.filter { deviceToken.hasPrefix($0.prefix) }
        guard let rule = fitting.max(by: { $0.prefix.count < $1.prefix.count }), let last = rule.steps.last
        else { return AnswerStep() }
        let index = used[deviceToken, default: 0]
        guard index < rule.steps.count else { return last }
        used[deviceToken] = index + 1
        return rule.steps[index]
    }
}
