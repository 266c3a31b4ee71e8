import Foundation

/// What some tests need of the machine.
public enum Requires {
    /// Told when a run that must be complete can't be.
    public struct Missing: Error, CustomStringConvertible {
        let what: String

        /// Names what is missing.
        public var description: String { "CI=true, so nothing may be skipped, and this test needs \(what)" }
    }

    /// Tells whether the tests run as root, for other users, namespaces and mounts.
    ///
    /// For a trait, `.enabled("needs root", Requires.root)`: the test is skipped by name, or fails where CI=true.
    /// (No trait itself: this module is built where `Testing` isn't, as in a statically linked release build.)
    @Sendable public static func root() throws -> Bool {
        try isMet(geteuid() == 0, "root")
    }

    private static func isMet(_ condition: Bool, _ what: String) throws -> Bool {
        if !condition, ProcessInfo.processInfo.environment["CI"] == "true" { throw Missing(what: what) }
        return condition
    }
}
