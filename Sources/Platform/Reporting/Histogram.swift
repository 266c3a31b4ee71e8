/// Counts observations below fixed bounds, as a Prometheus histogram has it.
public struct Histogram: Equatable, Sendable {
    let name: String
    let help: String
    let upperBounds: [Double]
    /// Observations per bucket, not yet summed up; the last bucket is above every bound.
    private(set) var counts: [UInt64]
    private(set) var sum = 0.0

    /// An empty histogram.
    ///
    /// - Parameters:
    ///   - name: the metric's name, with its unit at the end.
    ///   - help: one sentence.
    ///   - upperBounds: growing; a value equal to a bound belongs to its bucket.
    public init(_ name: String, _ help: String, upperBounds: [Double]) {
        precondition(zip(upperBounds, upperBounds.dropFirst()).allSatisfy { $0 < $1 }, "\(name): bounds grow")
        (self.name, self.help, self.upperBounds) = (name, help, upperBounds)
        counts = Array(repeating: 0, count: upperBounds.count + 1)
    }

    /// Counts one value; what is not a number is left out.
    public mutating func observe(_ value: Double) {
        guard !value.isNaN else { return }
        counts[upperBounds.firstIndex { value <= $0 } ?? upperBounds.count] += 1
        sum += value
    }
}
