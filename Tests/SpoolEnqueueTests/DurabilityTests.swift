import Foundation
import TestSupport
import Testing

@Suite("An entry appears whole or not at all, and stays")
struct DurabilityTests {
    private let hook: Hook

    init() throws { hook = try Hook() }

    /// The calls that matter, from the one that makes the entry's file.
    private func calls(_ outcome: Hook.Outcome) -> [String] {
        let calls = outcome.trace.filter { $0.contains("(") }.map { String($0.prefix { $0 != ")" }) }
        return Array(calls.drop { !$0.contains("O_TMPFILE") && !$0.contains("O_EXCL") })
    }

    private let traced = "trace=openat,write,fchmod,fsync,linkat,renameat2,exit_group"

    @Test("An ordinary user's entry is written, flushed, named and flushed again, in this order")
    func order() throws {
        let outcome = try hook.run(strace: ["-e", traced], ordinaryUser: true)
        #expect(outcome.ending == .exited(0))
        let calls = calls(outcome)
        try #require(calls.count == 7)
        #expect(calls[0].contains("O_TMPFILE"))
        #expect(calls[1].hasPrefix(#"write(4, "{\"v\":1,"#))
        #expect(calls[2] == "fchmod(4, 0640")
        #expect(calls[3] == "fsync(4")
        #expect(calls[4].hasPrefix(#"linkat(AT_FDCWD, "/proc/self/fd/4", 3, "0"#))
        #expect(calls[5] == "fsync(4")
        #expect(calls[6] == "exit_group(0")
        #expect(outcome.trace.last { $0.hasPrefix("fsync") }?.hasSuffix("= 0") == true)
    }

    @Test("Where the file system has no nameless files, a dot name is flushed, renamed and flushed again")
    func withoutNamelessFiles() throws {
        let index = try hook.index(of: "openat", containing: "O_TMPFILE")
        let outcome = try hook.run(
            strace: ["-e", traced, "-e", "inject=openat:error=EOPNOTSUPP:when=\(index)"], ordinaryUser: true)
        #expect(outcome.ending == .exited(0))
        let calls = Array(calls(outcome).dropFirst())
        try #require(calls.count == 7)
        #expect(
            calls[0].contains(#", ".0"#) && calls[0].contains("O_EXCL") && calls[0].contains("O_NOFOLLOW"))
        #expect(calls[3] == "fsync(4")
        #expect(calls[4].contains("RENAME_NOREPLACE"))
        #expect(calls[5] == "fsync(4")
        #expect(outcome.entries.count == 1)
        #expect(outcome.temporaries == [])
        #expect(outcome.log == [])
    }

    @Test(
        "Where no link can be made through /proc, the dot name serves too",
        arguments: ["ENOENT", "EACCES", "EPERM"])
    func withoutLinks(errno: String) throws {
        let outcome = try hook.run(strace: ["-e", "inject=linkat:error=\(errno)"])
        #expect(outcome.ending == .exited(0))
        #expect(outcome.entries.count == 1)
        #expect(outcome.temporaries == [])
        #expect(outcome.log == [])
    }

    private static let faults: [(injection: String, words: String, strict: Int32)] = [
        ("openat:error=EACCES:when=tmpfile", "cannot create an entry here: Permission denied", 77),
        ("openat:error=ENOSPC:when=tmpfile", "cannot create an entry here: No space left on device", 75),
        ("openat:error=EMFILE:when=tmpfile", "cannot create an entry here: Too many open files", 75),
        ("getrandom:error=ENOSYS:when=2+", "cannot create an entry here: Function not implemented", 73),
        ("write:error=ENOSPC:when=1", "cannot write an entry here: No space left on device", 75),
        ("write:error=EDQUOT:when=1", "cannot write an entry here: Disk quota exceeded", 75),
        ("write:error=EIO:when=1", "cannot write an entry here: Input/output error", 74),
        ("fchmod:error=EPERM", "cannot set an entry's mode here: Operation not permitted", 77),
        ("fsync:error=EIO:when=1", "cannot flush an entry here to the disk: Input/output error", 74),
        ("linkat:error=EIO", "cannot name an entry here: Input/output error", 74),
        ("linkat:error=EEXIST", "cannot name an entry here: File exists", 74),
        ("linkat:error=EROFS", "cannot name an entry here: Read-only file system", 74),
    ]

    @Test("A call that fails leaves nothing, one clear line, and the mail delivered", arguments: faults)
    func fault(injection: String, words: String, strict: Int32) throws {
        let tmpfile = try hook.index(of: "openat", containing: "O_TMPFILE")
        let strace = ["-e", "inject=" + injection.replacing("tmpfile", with: "\(tmpfile)")]
        let outcome = try hook.run(strace: strace)
        #expect(outcome.ending == .exited(0))
        let cure = words.hasSuffix("Permission denied") ? "; make directories sets it right" : ""
        #expect(outcome.log == ["spool-enqueue: \(hook.new): \(words); this mail does not ring\(cure)"])
        #expect(outcome.entries == [])
        #expect(outcome.temporaries == [])
        #expect(try hook.run(["--strict", "alice"], strace: strace).ending == .exited(strict))
    }

    @Test(
        "A fault under the dot name takes the dot name away",
        arguments: ["write", "fchmod", "fsync", "renameat2"])
    func faultUnderDotName(call: String) throws {
        let tmpfile = try hook.index(of: "openat", containing: "O_TMPFILE")
        let outcome = try hook.run(
            strace: [
                "-e", "inject=openat:error=EOPNOTSUPP:when=\(tmpfile)", "-e",
                "inject=\(call):error=EIO:when=1",
            ])
        #expect(outcome.ending == .exited(0))
        #expect(outcome.log.count == 1)
        #expect(outcome.entries == [])
        #expect(outcome.temporaries == [])
    }

    @Test("No kernel without random numbers is waited for")
    func random() throws {
        let calls = try hook.run(strace: ["-e", "trace=getrandom"]).trace.filter {
            $0.hasPrefix("getrandom(")
        }
        #expect(!calls.isEmpty)
        #expect(calls.allSatisfy { $0.contains("GRND_NONBLOCK") || $0.contains("GRND_INSECURE") })
    }

    @Test("When only the second flush fails, the whole entry is there and the line says what is uncertain")
    func secondFlush() throws {
        let outcome = try hook.run(strace: ["-e", "inject=fsync:error=EIO:when=2"])
        #expect(outcome.ending == .exited(0))
        #expect(outcome.entries.count == 1)
        #expect(outcome.log.count == 1)
        #expect(outcome.log.first?.contains("may not ring after a power cut") == true)
    }
}
