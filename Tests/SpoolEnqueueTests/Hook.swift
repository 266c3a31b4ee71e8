import Foundation
import TestSupport

/// The built hook, a spool of its own to ring into, and the log that a mail program would give it.
///
/// The hook's standard error is a regular file, as under procmail with a LOGFILE.
final class Hook: Sendable {
    /// What a run left behind.
    struct Outcome {
        let ending: RunningProgram.Ending
        /// What the wrapping shell printed.
        let output: String
        /// The lines of the log.
        let log: [String]
        /// The contents of the entries in `new/`, in the order of their names.
        let entries: [String]
        /// Names in `new/` that begin with a dot.
        let temporaries: [String]
        /// Lines of the trace.
        let trace: [String]
    }

    /// A run under strace that didn't make the call that a test is about.
    struct CallNotSeen: Error {
        let call: String
        let trace: [String]
    }

    static let mail = Data("Subject: hello\nMessage-ID: <secret-id@sender.example>\n\nHello.\n".utf8)
    static let isRoot = geteuid() == 0

    let directory: TemporaryDirectory
    let program: String
    var spool: String { directory.file("spool") }
    var new: String { directory.file("spool/new") }
    var log: String { directory.file("log") }
    var trace: String { directory.file("trace") }

    /// Makes a spool of the shipped mode, and copies the program to where an ordinary user may run it.
    init() throws {
        directory = try TemporaryDirectory()
        program = directory.file("spool-enqueue")
        let files = FileManager.default
        // By another process: a file open for writing here would leak into whatever a parallel test starts, and a
        // program that is open for writing can't be run (ETXTBSY).
        _ = try RunningProgram.run("/bin/cp", [BuiltProgram.hook(), program])
        try files.createDirectory(atPath: directory.file("spool/new"), withIntermediateDirectories: true)
        chmod(directory.path, 0o777)
        chmod(directory.file("spool"), 0o755)
        chmod(directory.file("spool/new"), 0o3733)
    }

    /// Runs the hook to its end.
    ///
    /// - Parameters:
    ///   - arguments: what follows `--spool`; the user's name by default.
    ///   - input: the mail.
    ///   - prelude: shell commands that run first, such as `ulimit`; they replace the shell's own redirection of
    ///     standard error to the log.
    ///   - wrapper: a command that runs the hook, such as `env -i`.
    ///   - strace: options of strace(1), to which the trace file is added.
    ///   - ordinaryUser: whether it runs as somebody who doesn't own the spool.
    func run(
        _ arguments: [String] = ["alice"], input: Data? = Hook.mail, prelude: String? = nil,
        wrapper: [String] = [], strace: [String] = [], ordinaryUser: Bool = false, in folder: String? = nil,
        spool: String? = nil, within seconds: Double = 30
    ) throws -> Outcome {
        let user = ["/usr/bin/setpriv", "--reuid=12345", "--regid=12345", "--clear-groups"]
        let command =
            (ordinaryUser && Self.isRoot ? user : [])
            + (strace.isEmpty ? [] : ["/usr/bin/strace", "-o", trace, "-s", "400"] + strace)
            + wrapper + [program, "--spool", spool ?? self.spool] + arguments
        let script = "\(prelude ?? "exec 2>>'\(log)';") \"$@\"; status=$?; exit $status"
        if !strace.isEmpty { unlink(trace) }
        let result = try RunningProgram.run(
            "/bin/bash", ["-c", script, "bash"] + command, input: input, directory: folder, within: seconds)
        return Outcome(
            ending: result.ending, output: result.output, log: lines(of: log), entries: try entries(),
            temporaries: try names().filter { $0.hasPrefix(".") }, trace: lines(of: trace))
    }

    /// Runs the hook once under strace, and gives which call of `name` is the first that `text` is part of.
    func index(of name: String, containing text: String) throws -> Int {
        let calls = try run(strace: ["-e", "trace=\(name)"]).trace
        for entry in try names() { try FileManager.default.removeItem(atPath: "\(new)/\(entry)") }
        guard let index = calls.firstIndex(where: { $0.contains(text) }) else {
            throw CallNotSeen(call: name, trace: calls + lines(of: log))
        }
        return index + 1
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: new).sorted()
    }

    private func entries() throws -> [String] {
        try names().filter { !$0.hasPrefix(".") }
            .map { try String(contentsOfFile: "\(new)/\($0)", encoding: .utf8) }
    }

    /// The lines of a text file, which need not exist.
    func lines(of file: String) -> [String] {
        let text = String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }
}
