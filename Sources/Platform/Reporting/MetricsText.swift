/// Builds the text that Prometheus reads (exposition format 0.0.4): pure, in the order of the calls.
///
/// It has no timestamps, because the node exporter's textfile collector refuses a file with any.
public struct MetricsText: Equatable, Sendable {
    /// The text so far; every line has its newline.
    public private(set) var text = ""
    private var names: Set<String> = []

    /// Starts empty.
    public init() {}

    /// Adds a counter or gauge; one that has no value yet leaves no trace.
    public mutating func add(_ family: MetricFamily) {
        guard !family.values.isEmpty else { return }
        head(family.name, family.help, family.kind.rawValue)
        for (values, value) in family.values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            sample(family.name, Array(zip(family.labels, values)), value)
        }
    }

    /// Adds a histogram: its buckets summed up, the sum and the count.
    public mutating func add(_ histogram: Histogram) {
        head(histogram.name, histogram.help, "histogram")
        var count: UInt64 = 0
        for (bound, inBucket) in zip(histogram.upperBounds + [.infinity], histogram.counts) {
            count += inBucket
            sample(histogram.name + "_bucket", [("le", Self.number(bound))], Double(count))
        }
        sample(histogram.name + "_sum", [], histogram.sum)
        sample(histogram.name + "_count", [], Double(count))
    }

    private mutating func head(_ name: String, _ help: String, _ kind: String) {
        precondition(names.insert(name).inserted, "\(name) is added once")
        text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind)\n"
    }

    private mutating func sample(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(Self.number(value))\n"
    }

    /// Whole numbers without a fraction, infinities and NaN as Prometheus spells them.
    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    private static func escaped(_ text: String, quotes: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
