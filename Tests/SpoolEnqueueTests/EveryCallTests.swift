import Foundation
import Spool
import TestSupport
import Testing

@Suite("Whatever call of the hook fails, or is its last")
struct EveryCallTests {
    /// How an entry gets its name.
    enum Way: String, CaseIterable {
        case link, rename

        /// Where no link can be made, the entry gets a dot name and is renamed.
        var strace: [String] { self == .link ? [] : ["-e", "inject=linkat:error=EPERM"] }
    }

    private static let traced =
        "trace=prctl,poll,read,write,close,fstat,newfstatat,dup2,close_range,chdir,getrandom,openat,fstatfs,fchmod,fsync,"
        + "linkat,renameat2,exit_group"

    private let hook: Hook

    init() throws { hook = try Hook() }

    /// The calls by this way, from the hook's first.
    private func calls(_ way: Way) throws -> [TracedCall] {
        let outcome = try hook.run(strace: ["-e", Self.traced] + way.strace)
        try clear()
        let calls = TracedCall.all(in: outcome.trace, from: "PR_SET_PDEATHSIG")
            .filter { way == .link || $0.name != "linkat" }
        try #require(calls.count > 20, "\(outcome.trace)")
        return calls
    }

    private func run(_ way: Way, _ call: TracedCall, _ fault: String) throws -> Hook.Outcome {
        let outcome = try hook.run(strace: ["-e", Self.traced] + way.strace + ["-e", call.injection(fault)])
        try clear()
        for entry in outcome.entries {
            #expect(throws: Never.self, "torn by \(call)") { try SpoolEntry.decode(Array(entry.utf8)) }
        }
        #expect(outcome.entries.count <= 1, "\(call)")
        return outcome
    }

    private func clear() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: hook.new) {
            try FileManager.default.removeItem(atPath: "\(hook.new)/\(name)")
        }
        unlink(hook.log)
    }

    @Test(
        "A call that fails costs the entry at most, which a line tells, and never the mail",
        arguments: Way.allCases, ["EIO", "ENOSPC", "EMFILE"])
    func failing(way: Way, errno: String) throws {
        for call in try calls(way) where call.name != "exit_group" {
            let outcome = try run(way, call, "error=\(errno)")
            #expect(outcome.ending == .exited(0), "\(call)")
            #expect(!outcome.entries.isEmpty || !outcome.log.isEmpty, "\(call)")
            #expect(outcome.temporaries == [], "\(call)")
        }
    }

    @Test("Killed at any call, it leaves a whole entry or none", arguments: Way.allCases)
    func killed(way: Way) throws {
        for call in try calls(way) {
            let outcome = try run(way, call, "signal=KILL")
            #expect([.exited(137), .signalled(SIGKILL)].contains(outcome.ending), "\(call)")
            // A dot name is left to the drain.
            #expect(outcome.temporaries.count <= (way == .link ? 0 : 1), "\(call)")
        }
    }
}
