/// A counter or gauge with its help text and one value for each combination of label values.
///
///     var notices = MetricFamily.counter("doorbell_drain_notices_total", "Notices queued.", labels: ["source"])
///     notices["hook"] += 1
///
/// Label values come from closed sets or from the configuration, never from mail.
public struct MetricFamily: Equatable, Sendable {
    /// What Prometheus is told the numbers are.
    enum Kind: String {
        case counter, gauge
    }

    let kind: Kind
    let name: String
    let help: String
    let labels: [String]
    private(set) var values: [[String]: Double] = [:]

    private init(_ kind: Kind, _ name: String, _ help: String, _ labels: [String]) {
        (self.kind, self.name, self.help, self.labels) = (kind, name, help, labels)
        if labels.isEmpty { values[[]] = 0 }
    }

    /// A number that only grows; its name ends in `_total`.
    public static func counter(_ name: String, _ help: String, labels: [String] = []) -> MetricFamily {
        MetricFamily(.counter, name, help, labels)
    }

    /// A number that goes up and down.
    public static func gauge(_ name: String, _ help: String, labels: [String] = []) -> MetricFamily {
        MetricFamily(.gauge, name, help, labels)
    }

    /// The value for these label values, one for each label in order; 0 until it is set.
    ///
    /// A family without labels is reached as `family[]`.
    public subscript(_ labelValues: String...) -> Double {
        get { values[labelValues, default: 0] }
        set {
            precondition(labelValues.count == labels.count, "\(name) has the labels \(labels)")
            values[labelValues] = newValue
        }
    }
}
