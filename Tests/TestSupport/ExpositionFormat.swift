/// A strict reader of the exposition format for tests: what promtool checks, and duplicates and timestamps too.
public struct ExpositionFormat {
    /// What a collector or promtool would refuse.
    public struct Fault: Error, Equatable {
        let line: Int
        let what: String
    }

    /// Value by series, written as `name{label="value"}`.
    public private(set) var series: [String: Double] = [:]

    /// Reads a whole file.
    public init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else {
            throw Fault(line: 0, what: "no newline at the end")
        }
        var helped: Set<Substring> = []
        var kinds: [Substring: Substring] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .enumerated()
        {
            func fault(_ what: String) -> Fault { Fault(line: index + 1, what: what) }
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            if line.hasPrefix("# HELP ") {
                guard words.count == 4, !words[3].isEmpty else { throw fault("HELP without a text") }
                guard helped.insert(words[2]).inserted else { throw fault("second HELP") }
            } else if line.hasPrefix("# TYPE ") {
                guard words.count == 4, ["counter", "gauge", "histogram"].contains(words[3]) else {
                    throw fault("unknown type")
                }
                guard kinds.updateValue(words[3], forKey: words[2]) == nil else { throw fault("second TYPE") }
                guard helped.contains(words[2]) else { throw fault("TYPE before HELP") }
                guard (words[3] == "counter") == words[2].hasSuffix("_total") else { throw fault("_total") }
            } else {
                let pattern =
                    #/(?<name>[a-z_]+)(?<labels>\{[a-z_]+="(\\["\\n]|[^"\\])*"(,[a-z_]+="(\\["\\n]|[^"\\])*")*\})? (?<value>\S+)/#
                guard let match = try pattern.wholeMatch(in: line) else { throw fault("no sample: \(line)") }
                let name = match.output.name
                let family = kinds.keys.first { kind in
                    name == kind
                        || kinds[kind] == "histogram"
                            && ["_bucket", "_sum", "_count"].contains { name == kind + $0 }
                }
                guard family != nil else { throw fault("sample before its TYPE") }
                guard let value = Self.value(match.output.value) else { throw fault("no number") }
                guard series.updateValue(value, forKey: "\(name)\(match.output.labels ?? "")") == nil else {
                    throw fault("duplicate series")
                }
            }
        }
    }

    private static func value(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: Double(text)
        }
    }
}
