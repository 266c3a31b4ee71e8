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

    private static let mountsDisks: Bool = {
        let script = """
            file=$(mktemp)
            trap 'rm "$file"' EXIT
            truncate -s 400M "$file"
            for kind in 'ext4 -F' 'xfs -f'; do mkfs.$kind -q "$file"; mount -o loop "$file" /mnt; umount /mnt; done
            """
        let unshare = ["--mount", "--propagation", "private", "/bin/sh", "-ec", script]
        return (try? RunningProgram.run("/usr/bin/unshare", unshare).ending) == .exited(0)
    }()

    // A statically linked release build has no Testing, and builds this module all the same.
    #if canImport(Testing)
    /// Root, for other users, namespaces and mounts: else the test is skipped by name, or fails where CI=true.
    public static var root: ConditionTrait {
        .enabled("needs root") { try isMet(geteuid() == 0, "root") }
    }

    /// File systems of a test's own: else the test is skipped by name, or fails where CI=true.
    public static var disks: ConditionTrait {
        .enabled("needs root, loop devices, ext4 and xfs") {
            try isMet(mountsDisks, "root, loop devices, ext4 and xfs")
        }
    }
    #endif
}
