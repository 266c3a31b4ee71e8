import Foundation
import JSON
import Synchronization
import TestSupport

extension Site {
    /// What leads a daemon to the simulator instead of to Apple, and nothing else but a PATH.
    var environment: [String: String] {
        let address = "127.0.0.1:\(apple.port)"
        return [
            "PATH": "/usr/bin:/bin", "DOORBELL_APNS_HOST": "production=\(address),sandbox=\(address)",
            "DOORBELL_APNS_CA": directory.file("etc/doorbell/ca.pem"),
        ]
    }

    /// Starts a command as a villager or, without one, as the caller.
    func start(_ command: [String], as person: Person? = nil, input: String? = nil) throws -> RunningProgram {
        let command = village?.command(command, as: person, beside: disk?.keeper) ?? command
        return try RunningProgram(
            command[0], Array(command.dropFirst()), environment: environment,
            input: input.map { Data($0.utf8) })
    }

    /// Runs a command to its end.
    @discardableResult
    func run(
        _ command: [String], as person: Person? = nil, input: String? = nil
    ) throws -> RunningProgram.Result {
        let command = village?.command(command, as: person, beside: disk?.keeper) ?? command
        return try RunningProgram.run(
            command[0], Array(command.dropFirst()), environment: environment,
            input: input.map { Data($0.utf8) })
    }

    /// Starts spool-drain as its user, and waits until it watches; it ends with the site at the latest.
    @discardableResult
    func startDrain() throws -> RunningProgram {
        try startDaemon("spool-drain", as: drainUser, saying: "drains ")
    }

    /// Starts dispatch as its user, and waits until it runs; it ends with the site at the latest.
    @discardableResult
    func startDispatch() throws -> RunningProgram {
        try startDaemon("dispatch", as: dispatchUser, saying: "started")
    }

    private func startDaemon(_ name: String, as person: Person, saying line: String) throws
        -> RunningProgram
    {
        let daemon = try launch(name, as: person)
        daemons.withLock { $0.append(daemon) }
        try daemon.waitForLine(containing: line)
        return daemon
    }

    /// Starts a daemon and waits for nothing; its owner has to keep it.
    func launch(_ name: String, as person: Person, once: Bool = false) throws -> RunningProgram {
        let program =
            [directory.file("usr/sbin/\(name)"), "--config", configuration] + (once ? ["--once"] : [])
        // With the umask that supervisord gives it.
        return try start(["/bin/sh", "-c", #"umask 007; exec "$0" "$@""#] + program, as: person)
    }

    /// Runs `doorbell`, as an operator who is root or the caller.
    func doorbell(_ arguments: String..., input: String? = nil) throws -> RunningProgram.Result {
        try run([directory.file("usr/bin/doorbell"), "--config", configuration] + arguments, input: input)
    }

    /// Registers a device with a token of 32 times these two digits.
    func addDevice(_ digits: String, user: String? = nil, folders: String = "*") throws {
        let token = String(repeating: digits, count: 32)
        let user = user ?? recipient.name
        let added = try doorbell("device", "add", "--user", user, "--folders", folders, input: token)
        guard added.ending == .exited(0) else { throw Trouble(description: added.errors) }
    }

    /// How many wakes ended one way for one reason.
    func ended(_ end: String, _ reason: String) throws -> Int64 {
        let status = try JSONParser.parse(Array(try doorbell("status", "--json").output.utf8))
        let total = status["ends"]?.array?.first {
            $0["end"]?.string == end && $0["reason"]?.string == reason
        }
        return total?["count"]?.integer ?? 0
    }
}
