import Foundation

#if canImport(Testing)
public import Testing
#endif

/// What some tests need of the machine.
public enum Requires {
    /// Told when a run that must be complete can't be.
    public struct Missing: Error, CustomStringConvertible {
        let what: String

        /// Names what is missing.
        public var description: String { "CI=true, so nothing may be skipped, and this test needs \(what)" }
    }

    private static func isMet(_ condition: Bool, _ what: String) throws -> Bool {
        if !condition, ProcessInfo.processInfo.environment["CI"] == "true" { throw Missing(what: what) }
        return condition
    }

    // A statically linked release build has no Testing, and builds this module all the same.
    #if canImport(Testing)
    /// Root, for other users, namespaces and mounts: else the test is skipped by name, or fails where CI=true.
    public static var root: ConditionTrait {
        .enabled("needs root") { try isMet(geteuid() == 0, "root") }
    }
    #endif
}
