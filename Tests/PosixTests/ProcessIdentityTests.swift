import Foundation
import TestSupport
import Testing

/// Seen from outside, in `doorbell`: who a process is can't be undone, so no test can try it on itself.
@Suite(Requires.root)
struct ProcessIdentityTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.file("state"), withIntermediateDirectories: false)
        // The owner has to reach the directory as well.
        chmod(directory.path, 0o711)
        try directory.write("doorbell.toml", "[queue]\npath = \"\(directory.file("state/doorbell.db"))\"\n")
    }

    /// The changes of identity that a program makes, in order, each with its result.
    private func changes() throws -> [String] {
        let log = directory.file("strace")
        _ = try RunningProgram.run(
            "/usr/bin/strace",
            [
                "-o", log, "-e", "trace=setgroups,setgid,setuid", try BuiltProgram.path("doorbell"),
                "--config", directory.file("doorbell.toml"), "status",
            ],
            // A sanitizer's search for leaks can't run in a program that is traced.
            environment: ["ASAN_OPTIONS": "detect_leaks=0"])
        return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("set")
        }.map { $0.filter { $0 != " " } }
    }

    @Test("Root becomes the owner and the group of the directory for good, with no other group left")
    func owner() throws {
        chown(directory.file("state"), 65_534, 65_533)
        #expect(try changes() == ["setgroups(0,NULL)=0", "setgid(65533)=0", "setuid(65534)=0"])
    }

    @Test("Where the directory is root's own, root stays root")
    func root() throws {
        #expect(try changes() == [])
    }
}
