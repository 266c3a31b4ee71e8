import Foundation
import TestSupport
import Testing

/// A how-to as it is installed, which tests follow to the letter.
struct Guide {
    private let site: Site
    let text: String

    /// Reads it.
    ///
    /// - Parameter path: where it is installed, such as `dovecot/README.md`.
    init(_ path: String, of site: Site) throws {
        self.site = site
        text = try String(contentsOfFile: site.shipped(path), encoding: .utf8)
    }

    /// The first block of lines after a text.
    func block(after text: String) throws -> String {
        let start = try #require(self.text.range(of: text)).upperBound
        return String(try #require(self.text[start...].split(separator: "```\n").dropFirst().first))
    }

    /// Runs a block of commands as root, with ana for its alice; the shell's umask must stay as it is.
    @discardableResult
    func follow(after text: String) throws -> String {
        let commands = try block(after: text).replacing("alice", with: "ana")
        let followed = try site.run(["/bin/sh", "-ec", "umask 022\n\(commands)umask"])
        try #require(followed.ending == .exited(0), "\(followed.errors)")
        #expect(followed.output.hasSuffix("0022\n"))
        return followed.output
    }

    /// Appends lines that it shows to the configuration.
    func configure(_ lines: String) throws {
        let known = try String(contentsOfFile: site.configuration, encoding: .utf8)
        try "\(known)\n\(lines)".write(toFile: site.configuration, atomically: false, encoding: .utf8)
    }
}
