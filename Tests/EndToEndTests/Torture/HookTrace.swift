/// What strace(1) saw of a delivery: which entry was published, and whether the hook was killed.
///
/// It is the test's own knowledge, from the kernel's answers to the hook: neither drain nor queue has a part in it.
struct HookTrace {
    /// Names that were given for certain.
    private(set) var published: [String] = []
    /// Names of which nobody knows: the hook was killed in that very call.
    private(set) var perhaps: [String] = []
    /// Whether SIGKILL ended a program.
    private(set) var wasKilled = false

    /// Reads a trace of linkat(2) and renameat2(2) made with `-f`.
    init(_ text: String) {
        var unfinished: [Substring: String] = [:]
        for line in text.split(separator: "\n") {
            let process = line.prefix { $0 != " " }
            if line.hasSuffix("+++ killed by SIGKILL +++") {
                wasKilled = true
            } else if line.contains("resumed>") {
                take(unfinished.removeValue(forKey: process), line)
            } else if let name = Self.newName(line) {
                if line.hasSuffix("<unfinished ...>") { unfinished[process] = name } else { take(name, line) }
            }
        }
        perhaps += unfinished.values
    }

    private mutating func take(_ name: String?, _ line: Substring) {
        guard let name else { return }
        if line.hasSuffix("= 0") { published.append(name) }
        if line.hasSuffix("= ?") { perhaps.append(name) }
    }

    /// The name that an entry gets: the call's last string, if it is like an entry's.
    private static func newName(_ line: Substring) -> String? {
        guard line.contains(" linkat(") || line.contains(" renameat2(") else { return nil }
        let strings = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard strings.count > 2 else { return nil }
        let name = strings[strings.count - 2]
        return name.wholeMatch(of: #/[0-9]{16}\.[0-9a-f]{16}/#).map { _ in String(name) }
    }
}
