import Foundation

/// Doorbell set up in a directory of its own: configuration, spool, state and metrics, and Apple simulated.
public final class Installation: Sendable {
    /// Everything is below it.
    public let directory: TemporaryDirectory
    /// Apple's place is taken by it.
    public let apple: SimulatedApple
    /// The configuration file.
    public let configuration: String

    /// Sets everything up; no daemon runs yet.
    ///
    /// - Parameters:
    ///   - push: the text of `[push]`; nil is what sends to the simulator.
    ///   - more: sections and keys to add to the others, such as `[retention]`.
    ///   - queue: more keys of `[queue]`.
    ///   - simulator: arguments of the simulator.
    public init(
        push: String? = nil, queue: String = "", spool: String = "", more: String = "",
        simulator: [String] = []
    ) throws {
        directory = try TemporaryDirectory()
        apple = try SimulatedApple(in: directory, simulator)
        for name in ["spool", "spool/new", "spool/corrupt", "state", "metrics"] {
            try FileManager.default.createDirectory(
                atPath: directory.file(name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        chmod(directory.file("spool/new"), 0o3733)
        let push =
            push ?? """
                [push]
                enabled = true
                key_file = "\(apple.keyFile)"
                key_id = "\(apple.keyID)"
                team_id = "\(apple.teamID)"
                topic = "com.example.Mail"
                """
        configuration = try directory.write(
            "doorbell.toml",
            """
            [spool]
            directory = "\(directory.file("spool"))"
            \(spool)
            [queue]
            path = "\(directory.file("state/doorbell.db"))"
            \(queue)
            \(push)
            [metrics]
            directory = "\(directory.file("metrics"))"
            \(more)
            """)
    }

    /// Where the queue is.
    public var queue: String { directory.file("state/doorbell.db") }

    /// Where entries are published.
    public var newEntries: String { directory.file("spool/new") }

    /// The environment that leads a daemon to the simulator instead of to Apple.
    public var environment: [String: String] {
        let address = "127.0.0.1:\(apple.port)"
        return [
            "PATH": "/usr/bin:/bin", "DOORBELL_APNS_HOST": "production=\(address),sandbox=\(address)",
            "DOORBELL_APNS_CA": apple.caFile,
        ]
    }

    /// Starts a daemon with this configuration.
    public func start(_ program: String, _ arguments: [String] = []) throws -> RunningProgram {
        try RunningProgram(
            try BuiltProgram.path(program), ["--config", configuration] + arguments, environment: environment)
    }

    /// Runs a program with this configuration to its end.
    public func run(_ program: String, _ arguments: [String] = [], input: String? = nil) throws
        -> RunningProgram.Result
    {
        try RunningProgram.run(
            try BuiltProgram.path(program), ["--config", configuration] + arguments, environment: environment,
            input: input.map { Data($0.utf8) })
    }

    /// A daemon's counters as Prometheus would read them.
    public func metrics(of daemon: String) throws -> String {
        try String(contentsOfFile: directory.file("metrics/doorbell-\(daemon).prom"), encoding: .utf8)
    }
}
