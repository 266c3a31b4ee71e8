import Foundation

/// Finds the programs that this build made.
public enum BuiltProgram {
    /// The path of a program built beside the running tests, such as `dispatch`.
    public static func path(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try existing((tests as NSString).deletingLastPathComponent + "/" + name)
    }

    /// The path of the hook's ordinary release build.
    ///
    /// The hook is Embedded Swift: it is never linked into a test and never built with a sanitizer. `make test`
    /// builds it first and names its folder in DOORBELL_RELEASE.
    public static func hook() throws -> String { try existing(releases + "/spool-enqueue") }

    /// The folder of the ordinary release build of all programs, which is what `make install` installs.
    public static var releases: String {
        let folder = ProcessInfo.processInfo.environment["DOORBELL_RELEASE"] ?? ".build/release"
        return URL(fileURLWithPath: folder).path
    }

    private static func existing(_ path: String) throws -> String {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw MissingProgram(path: path)
        }
        return path
    }

    /// A program that should have been built before the tests.
    public struct MissingProgram: Error, CustomStringConvertible {
        let path: String

        /// Says what to run.
        public var description: String { "\(path) is not built; `make test` builds it first" }
    }
}
