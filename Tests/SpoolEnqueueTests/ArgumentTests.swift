import Foundation
import TestSupport
import Testing

@Suite("The command line")
struct ArgumentTests {
    private let hook: Hook

    init() throws { hook = try Hook() }

    private static let faults: [(arguments: [String], words: String)] = [
        ([], "no USER"),
        (["a", "b", "c"], "more than USER and FOLDER"),
        ([""], "USER must be"), (["a\nb"], "USER must be"),
        ([String(repeating: "u", count: 257)], "USER must be"),
        (["alice", ""], "FOLDER must be"), (["alice", "a\u{7F}b"], "FOLDER must be"),
        (["alice", String(repeating: "f", count: 1001)], "FOLDER must be"),
        (["--unknown", "alice"], "unknown option"), (["-x", "alice"], "unknown option"),
        (["--uid=1", "alice"], "unknown option"),
        (["alice", "--uid"], "needs a value"),
        (["--uid", "", "alice"], "--uid needs"), (["--uid", "-1", "alice"], "--uid needs"),
        (["--uid", "4294967296", "alice"], "--uid needs"),
        (["--uid-validity", "0", "alice"], "--uid-validity needs"),
        (["--maildir", "/", "alice"], "go together"),
        (["--exit", "0", "--filed", "/", "alice"], "go together"),
    ]

    @Test("A fault is told in one line, and the mail is delivered all the same", arguments: faults)
    func fault(arguments: [String], words: String) throws {
        let outcome = try hook.run(arguments)
        #expect(outcome.ending == .exited(0))
        #expect(outcome.entries == [])
        #expect(outcome.log.count == 1)
        let line = try #require(outcome.log.first)
        #expect(line.hasPrefix("spool-enqueue: "))
        #expect(line.contains(words))
        #expect(line.contains("this mail does not ring"))
    }

    @Test("With --strict a fault exits 64, wherever the option stands", arguments: [0, 1, 2])
    func strict(position: Int) throws {
        var arguments = ["--unknown", "alice"]
        arguments.insert("--strict", at: position)
        #expect(try hook.run(arguments).ending == .exited(64))
    }

    @Test("With --strict a mail that rings exits 0")
    func strictSuccess() throws {
        let outcome = try hook.run(["--strict", "alice"])
        #expect(outcome.ending == .exited(0))
        #expect(outcome.entries.count == 1)
    }

    @Test("A name that may be an address is never repeated in the log")
    func privacy() throws {
        let address = "alice@private.example"
        for arguments in [[address, address, address], ["--uid", address, address], ["-\(address)"]] {
            let outcome = try hook.run(arguments)
            #expect(!outcome.log.isEmpty)
            #expect(!outcome.log.contains { $0.contains("private.example") })
        }
        let outcome = try hook.run([address], spool: "/nonexistent")
        #expect(outcome.log.last?.contains("/nonexistent/new") == true)
        #expect(!outcome.log.contains { $0.contains("private.example") || $0.contains("secret-id") })
    }

    @Test("Help and version go to standard output, and nothing rings", arguments: ["--help", "--version"])
    func answers(option: String) throws {
        let outcome = try hook.run([option])
        #expect(outcome.ending == .exited(0))
        #expect(outcome.output.contains("spool-enqueue"))
        #expect(outcome.entries == [])
    }

    @Test("A relative spool is found from the working directory")
    func relativeSpool() throws {
        let outcome = try hook.run(in: hook.directory.path, spool: "spool")
        #expect(outcome.entries.count == 1)
    }

    @Test("A line break in a path doesn't break the line")
    func oneLine() throws {
        let outcome = try hook.run(spool: "/nonexistent\nspool")
        #expect(outcome.log.count == 1)
        #expect(outcome.log.first?.contains("/nonexistent?spool/new") == true)
    }
}
