import Foundation
import TestSupport
import Testing

@Suite("Trouble with the spool")
struct SpoolTroubleTests {
    private let hook: Hook

    init() throws { hook = try Hook() }

    private func expectLine(_ outcome: Hook.Outcome, _ words: String, cure: String = "") {
        #expect(outcome.ending == .exited(0))
        #expect(outcome.log == ["spool-enqueue: \(words); this mail does not ring\(cure)"])
        #expect(outcome.entries == [])
        #expect(outcome.temporaries == [])
    }

    private static let cure = "; make directories sets it right"

    @Test("A missing spool is named, with what makes one")
    func missing() throws {
        let spool = hook.directory.file("none")
        expectLine(
            try hook.run(spool: spool),
            "\(spool)/new: cannot open this directory: No such file or directory", cure: Self.cure)
        #expect(try hook.run(["--strict", "alice"], spool: spool).ending == .exited(69))
    }

    @Test("A spool that is a file is named")
    func notADirectory() throws {
        let spool = hook.directory.file("file")
        mkdir(spool, 0o755)
        try hook.directory.write("file/new", "")
        expectLine(try hook.run(spool: spool), "\(spool)/new: cannot open this directory: Not a directory")
    }

    @Test("An ordinary user who may not write is told so")
    func unwritable() throws {
        chmod(hook.new, 0o555)
        expectLine(
            try hook.run(ordinaryUser: true),
            "\(hook.new): cannot create an entry here: Permission denied", cure: Self.cure)
        #expect(try hook.run(["--strict", "alice"], ordinaryUser: true).ending == .exited(77))
    }

    @Test("An ordinary user rings into the shipped mode, and the drain's group can read it")
    func ordinaryUser() throws {
        let outcome = try hook.run(prelude: "umask 077; exec 2>>'\(hook.log)';", ordinaryUser: true)
        #expect(outcome.ending == .exited(0))
        #expect(outcome.log == [])
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: hook.new).first)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(hook.new)/\(name)")
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(attributes[.ownerAccountID] as? Int == (Hook.isRoot ? 12345 : Int(getuid())))
    }

    @Test(
        "A full disk is named and nothing half written stays", Requires.root,
        arguments: ["size=16k", "nr_inodes=3"])
    func fullDisk(limit: String) throws {
        // A file system of its own, in a mount namespace that ends with the shell; filled, then rung into.
        let script = """
            set -e
            mount -t tmpfs -o \(limit) none '\(hook.spool)'
            mkdir -m 3733 '\(hook.new)'
            head -c 100000 /dev/zero >'\(hook.spool)/filler' 2>/dev/null || true
            set +e
            "$@" 2>'\(hook.log)'; echo "status $?"
            ls -A '\(hook.new)' | sed 's/^/left: /'
            """
        let result = try RunningProgram.run(
            "/usr/bin/unshare",
            ["--mount", "/bin/bash", "-c", script, "bash", hook.program, "--spool", hook.spool, "alice"],
            input: Hook.mail)
        #expect(result.output == "status 0\n")
        let log = try String(contentsOfFile: hook.log, encoding: .utf8)
        #expect(log.hasPrefix("spool-enqueue: \(hook.new): cannot "))
        #expect(log.hasSuffix(": No space left on device; this mail does not ring\n"))
        #expect(log.count { $0 == "\n" } == 1)
    }

    @Test(
        "On a disk that is nearly full the hook leaves the rest to the mail, until there is room",
        Requires.root)
    func nearlyFullDisk() throws {
        // Less than a hundredth is left of the blocks, of neither, of the inodes.
        let script = """
            set -e
            mount -t tmpfs -o size=20m,nr_inodes=2000 none '\(hook.spool)'
            mkdir -m 3733 '\(hook.new)'
            ring() { "$@" 2>>'\(hook.log)'; echo "status $?, $(ls -A '\(hook.new)' | wc -l)"; }
            head -c 20860000 /dev/zero >'\(hook.spool)/filler'
            ring "$@"
            rm '\(hook.spool)/filler'
            ring "$@"
            (cd '\(hook.spool)' && seq 1985 | xargs touch)
            ring "$@"
            """
        let result = try RunningProgram.run(
            "/usr/bin/unshare",
            ["--mount", "/bin/bash", "-c", script, "bash", hook.program, "--spool", hook.spool, "alice"],
            input: Hook.mail)
        #expect(result.output == "status 0, 0\nstatus 0, 1\nstatus 0, 1\n")
        let line =
            "spool-enqueue: \(hook.new): the file system is nearly full: No space left on device; this mail does not ring"
        #expect(hook.lines(of: hook.log) == [line, line])
    }

    @Test(
        "A read-only disk, a full quota and a system without descriptors are named, and nothing half written stays",
        arguments: [
            ("openat", "O_TMPFILE", "EROFS", "Read-only file system"),
            ("write", "msg_id", "EDQUOT", "Disk quota exceeded"),
            ("openat", "O_TMPFILE", "ENFILE", "Too many open files in system"),
        ])
    func refusedByTheSystem(call: String, first: String, errno: String, words: String) throws {
        let index = try hook.index(of: call, containing: first)
        let outcome = try hook.run(strace: [
            "-e", "trace=\(call)", "-e", "inject=\(call):error=\(errno):when=\(index)",
        ])
        #expect(outcome.ending == .exited(0))
        #expect(outcome.log.count == 1)
        #expect(outcome.log.first?.hasSuffix(": \(words); this mail does not ring") == true)
        #expect(outcome.entries == [])
        #expect(outcome.temporaries == [])
    }

    @Test("A file size limit of 0 neither kills the hook nor leaves a part of an entry")
    func fileSizeLimit() throws {
        // The log is a file too, so the line goes to syslog.
        let outcome = try hook.run(
            prelude: "exec 2>>'\(hook.log)';", wrapper: ["/usr/bin/prlimit", "--fsize=0"])
        #expect(outcome.ending == .exited(0))
        #expect(outcome.entries == [])
        #expect(outcome.temporaries == [])
    }
}
