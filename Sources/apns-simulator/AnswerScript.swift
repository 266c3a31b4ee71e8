/// Knows what is answered next to each device token that a rule speaks of.
///
/// The rule with the longest fitting prefix counts. Its steps are used up in order, for each device token by itself;
/// the last step is repeated.
struct AnswerScript {
    private var rules: [AnswerRule] = []
    private var used: [String: Int] = [:]

    /// Reads one rule.
    mutating func add(_ line: ScriptLine) throws(ScriptFault) {
        let rule = try AnswerRule(parsing: line)
        guard !rules.contains(where: { $0.prefix == rule.prefix }) else {
            throw line.fault(line.text, "there is a rule for these device tokens already")
        }
        rules.append(rule)
    }

    /// Gives the next answer to this device token and counts it as used; nil where no rule fits.
    mutating func next(for deviceToken: String) -> AnswerStep? {
        let fitting = rules.filter { deviceToken.hasPrefix($0.prefix) }
        guard let rule = fitting.max(by: { $0.prefix.count < $1.prefix.count }), let last = rule.steps.last
        else { return nil }
        let index = used[deviceToken, default: 0]
        guard index < rule.steps.count else { return last }
        used[deviceToken] = index + 1
        return rule.steps[index]
    }
}
