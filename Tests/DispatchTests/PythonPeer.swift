import Foundation
import Posix
import TestSupport

/// Programs in Python in Apple's place, by Debian's interpreter and libraries.
enum PythonPeer {
    /// The interpreter, whatever else the search path would find.
    static let interpreter = "/usr/bin/python3"

    /// The folder of the programs.
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Peers").path

    /// Starts the server that misbehaves by a seed; gives its port too.
    static func chaos(_ certificates: Certificates, seed: UInt64) throws -> (
        program: RunningProgram, port: Int64
    ) {
        let program = try RunningProgram(
            interpreter, ["-B", "\(folder)/apple.py", certificates.certificate, certificates.key, "\(seed)"])
        let port: Int64 = try program.waitForLine("the port") { line in
            line.firstMatch(of: #/"listening".*"port": (\d+)/#).flatMap { Int64($0.output.1) }
        }
        return (program, port)
    }

    /// Starts hypercorn, which takes every push a moment after it came, twenty at once on a connection.
    ///
    /// - Parameter port: 0 is any free one.
    static func hypercorn(_ certificates: Certificates, port: Int64, in directory: TemporaryDirectory) throws
        -> (program: RunningProgram, port: Int64)
    {
        let configuration = try directory.write(
            "hypercorn.toml",
            """
            bind = "127.0.0.1:\(port)"
            certfile = "\(certificates.certificate)"
            keyfile = "\(certificates.key)"
            h2_max_concurrent_streams = 20
            errorlog = "-"
            """)
        let program = try RunningProgram(
            interpreter, ["-B", "-m", "hypercorn", "--config", configuration, "accept:app"], directory: folder
        )
        let port: Int64 = try program.waitForLine("the port") { line in
            line.firstMatch(of: #/Running on https://127.0.0.1:(\d+)/#).flatMap { Int64($0.output.1) }
        }
        return (program, port)
    }

    /// Stops hypercorn as a supervisor does: its graceful end sometimes waits for ever for connections that are gone.
    static func stop(_ hypercorn: RunningProgram) throws {
        hypercorn.send(SIGTERM)
        if (try? hypercorn.waitForEnd(within: 6)) == nil { hypercorn.send(SIGKILL) }
        try hypercorn.waitForEnd()
    }

    /// The ids of the pushes that hypercorn has taken.
    static func accepted(_ output: String) -> [String] {
        output.split(separator: "\n").compactMap { line in
            line.hasPrefix("accepted ") ? String(line.dropFirst("accepted ".count)) : nil
        }
    }
}
