public import TOML

/// What is wrong with a configuration file; a program that meets it exits 78.
///
/// Prints as one line: `/etc/doorbell/doorbell.toml:14:1: push.key_id: must be 10 letters and digits`.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file.
    public let file: String
    /// Where in the file; nil when it couldn't be read at all.
    public let position: TOMLPosition?
    /// The key with its table, `push.key_id`; nil when the fault isn't about one key.
    public let key: String?
    /// What is wrong and what would be right.
    public let fault: String

    /// File, line, column, key and fault.
    public var description: String {
        let place = position.map { ":\($0.line):\($0.column)" } ?? ""
        return inOneLine("\(file)\(place): \(key.map { "\($0): " } ?? "")\(fault)")
    }

    /// Writes control characters as Swift does, `\n`: a key may hold any.
    private func inOneLine(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }.joined()
    }
}
