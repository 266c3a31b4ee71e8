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
            atPath: directory.file("state"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o770])
        // The owner has to reach the directory as well.
        chmod(directory.path, 0o711)
        try directory.write("doorbell.toml", "[queue]\npath = \"\(directory.file("state/doorbell.db"))\"\n")
    }

    /// What a program gives up, call by call, each with its result; it sees a group of its own in /etc/group.
    private func changes() throws -> [String] {
        let log = directory.file("strace")
        try directory.write("group", "nogroup:x:65534:\nmail:x:8:nobody\n")
        _ = try RunningProgram.run(
            "/usr/bin/unshare",
            [
                "--mount", "--propagation", "private", "/bin/sh", "-ec",
                #"mount --bind "$0" /etc/group; exec "$@""#, directory.file("group"), "/usr/bin/strace",
                "-o", log, "-e", "trace=setgroups,setgid,setuid,capset,prctl",
                try BuiltProgram.path("doorbell"), "--config", directory.file("doorbell.toml"), "status",
            ],
            // A sanitizer's search for leaks can't run in a program that is traced.
            environment: ["ASAN_OPTIONS": "detect_leaks=0"])
        return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("set") || $0.hasPrefix("capset") || $0.contains("NO_NEW_PRIVS")
        }.map { $0.filter { $0 != " " } }
    }

    private static let noNewPrivileges = "prctl(PR_SET_NO_NEW_PRIVS,1,0,0,0)=0"

    @Test(
        "Root becomes the owner and the group of the directory for good, with its account's groups and no other"
    )
    func owner() throws {
        chown(directory.file("state"), 65_534, 65_533)
        let changes = try changes()
        #expect(changes.prefix(3) == ["setgroups(2,[65533,8])=0", "setgid(65533)=0", "setuid(65534)=0"])
        #expect(changes.dropFirst(3).first?.contains("{effective=0,permitted=0,inheritable=0})=0") == true)
        #expect(changes.dropFirst(4) == [Self.noNewPrivileges])
    }

    @Test("An owner without an account has no group but the directory's")
    func withoutAccount() throws {
        chown(directory.file("state"), 65_000, 65_533)
        #expect(
            try changes().prefix(3) == ["setgroups(0,NULL)=0", "setgid(65533)=0", "setuid(65000)=0"])
    }

    @Test("Where the directory is root's own, root stays root and gets nothing more")
    func root() throws {
        #expect(try changes() == [Self.noNewPrivileges])
    }
}
