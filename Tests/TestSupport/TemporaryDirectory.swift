import Foundation

/// A fresh directory of mode 0700 that goes with everything in it when its owner does.
public final class TemporaryDirectory: Sendable {
    /// Its absolute path, without a slash at the end.
    public let path: String

    /// Makes a directory below the system's temporary folder.
    public init() throws {
        let name = "doorbell-test-" + UUID().uuidString.lowercased()
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of `name` inside.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file inside and gives its path.
    @discardableResult
    public func write(_ name: String, _ text: String, mode: Int = 0o644) throws -> String {
        let path = file(name)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}
