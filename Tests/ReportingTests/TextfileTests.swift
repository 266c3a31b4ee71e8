import Foundation
import Reporting
import TestSupport
import Testing

struct TextfileTests {
    @Test("The file is whole, 0644 whatever the umask, and nothing else is left in the directory")
    func written() throws {
        let directory = try TemporaryDirectory()
        let file = Textfile(directory: directory.path, name: "doorbell-drain")
        var metrics = MetricsText()
        metrics.add(MetricFamily.gauge("up", "Up."))
        try file.write(metrics)
        try file.write(metrics)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["doorbell-drain.prom"])
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == metrics.text)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
    }

    @Test("A temporary file that is in the way is not taken for metrics: its name does not end in .prom")
    func temporaryName() throws {
        let directory = try TemporaryDirectory()
        let file = Textfile(directory: directory.path, name: "doorbell-drain")
        // A directory under the temporary name makes the write fail there, and so tells the name.
        try FileManager.default.createDirectory(
            atPath: file.path + ".tmp", withIntermediateDirectories: false)
        #expect {
            try file.write(MetricsText())
        } throws: {
            "\($0)" == "open \(file.path).tmp: Is a directory"
        }
    }
}
