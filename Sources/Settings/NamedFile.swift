internal import TOML

/// A file that the configuration names, and where it does: only the program that opens it can judge it.
public struct NamedFile: Equatable, Sendable {
    /// Its absolute path.
    public let path: String
    let configuration: String
    let position: TOMLPosition?
    let key: String

    /// The error that says what is wrong with the file, and which line names it.
    public func fault(_ fault: String) -> ConfigurationError {
        ConfigurationError(file: configuration, position: position, key: key, fault: "\(path): \(fault)")
    }
}
