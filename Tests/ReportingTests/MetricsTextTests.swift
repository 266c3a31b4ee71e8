import TestSupport
import Testing

@testable import Reporting

struct MetricsTextTests {
    private func text(_ family: MetricFamily) -> String {
        var metrics = MetricsText()
        metrics.add(family)
        return metrics.text
    }

    @Test("A counter has HELP and TYPE before its samples and a newline at the end")
    func counter() {
        var notices = MetricFamily.counter(
            "doorbell_drain_notices_total", "Notices queued.", labels: ["source"])
        notices["trusted"] += 2
        notices["hook"] += 1
        #expect(
            text(notices) == """
                # HELP doorbell_drain_notices_total Notices queued.
                # TYPE doorbell_drain_notices_total counter
                doorbell_drain_notices_total{source="hook"} 1
                doorbell_drain_notices_total{source="trusted"} 2

                """)
    }

    @Test("A family without labels starts at 0, one with labels says nothing until it has a value")
    func unset() {
        #expect(text(.gauge("up", "Up.")) == "# HELP up Up.\n# TYPE up gauge\nup 0\n")
        #expect(text(.gauge("up", "Up.", labels: ["program"])).isEmpty)
    }

    @Test("Backslash, quote and newline are escaped in label values, backslash and newline in help texts")
    func escaping() throws {
        var family = MetricFamily.gauge("depth", "A \\ and\na \"quote\".", labels: ["topic"])
        family["a\\b\"c\nd"] = 1
        #expect(
            text(family) == #"""
                # HELP depth A \\ and\na "quote".
                # TYPE depth gauge
                depth{topic="a\\b\"c\nd"} 1

                """#)
        _ = try ExpositionFormat(text(family))
    }

    @Test(
        "Numbers print as Prometheus reads them",
        arguments: [
            (0.0, "0"), (-3, "-3"), (0.25, "0.25"), (1_796_013_060, "1796013060"), (1e-7, "1e-07"),
            (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
        ])
    func numbers(value: Double, printed: String) {
        var gauge = MetricFamily.gauge("g", "G.")
        gauge[] = value
        #expect(text(gauge).hasSuffix("\ng \(printed)\n"))
    }

    @Test("A histogram sums its buckets up, a value on a bound belongs to the bucket below")
    func histogram() {
        var scan = Histogram("scan_seconds", "Scans.", upperBounds: [0.5, 1])
        for value in [0.25, 0.5, 1, 7, .nan] { scan.observe(value) }
        var metrics = MetricsText()
        metrics.add(scan)
        #expect(
            metrics.text == """
                # HELP scan_seconds Scans.
                # TYPE scan_seconds histogram
                scan_seconds_bucket{le="0.5"} 2
                scan_seconds_bucket{le="1"} 3
                scan_seconds_bucket{le="+Inf"} 4
                scan_seconds_sum 8.75
                scan_seconds_count 4

                """)
    }

    @Test("A text of every kind passes the strict reader, without a duplicate series")
    func strict() throws {
        var metrics = MetricsText()
        var family = MetricFamily.counter("pushes_total", "Pushes.", labels: ["result", "topic"])
        for result in ["sent", "failed"] {
            for topic in ["com.example.Mail", "odd \"topic\""] { family[result, topic] += 1 }
        }
        metrics.add(family)
        metrics.add(.gauge("waiting", "Waiting."))
        metrics.add(Histogram("latency_seconds", "Latency.", upperBounds: [0.1, 1, 10]))
        let read = try ExpositionFormat(metrics.text)
        #expect(read.series.count == 4 + 1 + 6)
        #expect(read.series[#"pushes_total{result="sent",topic="com.example.Mail"}"#] == 1)
    }

    @Test(
        "The strict reader refuses what a collector would",
        arguments: [
            "# HELP a A.\n# TYPE a gauge\na 1",
            "# HELP a A.\n# TYPE a gauge\na 1\na 1\n",
            "# HELP a A.\n# TYPE a gauge\na 1 1796013060123\n",
            "# TYPE a gauge\na 1\n",
            "a 1\n# HELP a A.\n# TYPE a gauge\n",
            "# HELP a A.\n# TYPE a counter\na 1\n",
            "# HELP a A.\n# TYPE a gauge\na{b=\"c\"d\"} 1\n",
        ])
    func refused(text: String) {
        #expect(throws: ExpositionFormat.Fault.self) { try ExpositionFormat(text) }
    }
}
