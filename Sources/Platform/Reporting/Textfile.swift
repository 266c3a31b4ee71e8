public import Posix

/// A program's file for the node exporter's textfile collector, always replaced as a whole.
///
/// The collector reads every name that ends in `.prom`, so the temporary one doesn't; it skips what it can't read
/// as its own user, so the mode is 0644 whatever the umask. No flush: numbers of before a power cut help nobody.
public struct Textfile: Sendable {
    /// Where the file stands.
    public let path: String

    /// The file `name.prom` in `directory`.
    public init(directory: String, name: String) { path = "\(directory)/\(name).prom" }

    /// Replaces the content.
    public func write(_ metrics: MetricsText) throws(SystemCallError) {
        try ReplacedFile.write(Array(metrics.text.utf8), to: path, mode: 0o644)
    }
}
