import Foundation
import Queue
import TestSupport

/// A configuration without push and a queue's directory, and `doorbell` run with them.
struct CommandBench {
    /// A device's, as its app shows it.
    static let token = String(repeating: "c4", count: 31) + "Fe"

    let directory: TemporaryDirectory
    let configuration: String

    /// Where the queue's files are.
    var state: String { directory.file("state") }
    /// The database, which isn't made yet.
    var queue: String { directory.file("state/doorbell.db") }

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.file("state"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o770])
        configuration = try directory.write(
            "doorbell.toml",
            """
            [queue]
            path = "\(directory.file("state/doorbell.db"))"
            [push]
            enabled = false
            topic = "com.example.Mail"
            """)
    }

    /// The names of the queue's files, sorted.
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: state).sorted() }

    /// The queue, opened with its key; both are made where there are none.
    func store() throws -> QueueStore { try .unlocked(path: queue, busyTimeout: .seconds(5)) }

    /// Runs it to its end.
    func doorbell(_ arguments: String..., input: String = "") throws -> RunningProgram.Result {
        try run(arguments, input: input)
    }

    /// Runs it to its end, led in by another program such as strace(1).
    func run(_ arguments: [String], wrapper: [String] = [], input: String = "") throws
        -> RunningProgram.Result
    {
        let command = wrapper + [try BuiltProgram.path("doorbell"), "--config", configuration] + arguments
        // A sanitizer's search for leaks can't run in a program that is traced.
        return try RunningProgram.run(
            command[0], Array(command[1...]), environment: ["ASAN_OPTIONS": "detect_leaks=0"],
            input: Data(input.utf8))
    }
}
