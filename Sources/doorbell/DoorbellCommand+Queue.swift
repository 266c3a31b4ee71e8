internal import Glibc
internal import Posix
internal import Queue
internal import Settings

extension DoorbellCommand {
    /// Whether the queue is damaged; what it finds is the output.
    static func checkQueue(_ configuration: Configuration) throws -> String {
        try enter(configuration.queue)
        let path = configuration.queue.path
        let findings = try QueueCheck.findings(path: path, busyTimeout: busyTimeout)
        guard !findings.isEmpty else { return "the queue is sound\n" }
        try write(findings.map { $0 + "\n" }.joined(), to: STDOUT_FILENO)
        throw CommandFailure(
            exitCode: .inputOutput,
            description: "\(path): is damaged; stop spool-drain and dispatch, then doorbell queue salvage")
    }

    /// Makes a new queue of what can be read of the old, which stands beside it afterwards.
    static func salvageQueue(_ configuration: Configuration) throws -> String {
        try enter(configuration.queue)
        let drain = try lock(configuration.queue.drainLock)
        let dispatch = try lock(configuration.queue.dispatchLock)
        guard let report = try QueueSalvage.run(path: configuration.queue.path) else {
            throw CommandFailure(
                exitCode: .unavailable,
                description: "\(configuration.queue.path): is sound; there is nothing to salvage")
        }
        _ = consume drain
        _ = consume dispatch
        return SalvageTable(report).text
    }

    private static func lock(_ path: String) throws -> LockFile {
        do throws(LockFile.Failure) {
            return try LockFile(path: path)
        } catch {
            guard case .held = error else { throw error }
            throw CommandFailure(
                exitCode: error.exitCode, description: "\(error); stop spool-drain and dispatch first")
        }
    }
}
