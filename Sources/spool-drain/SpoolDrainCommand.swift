internal import Settings
internal import Glibc
internal import Posix
internal import Queue
internal import Reporting
internal import SpoolDirectories

/// `spool-drain`: moves the entries of the spool to the queue.
@main
struct SpoolDrainCommand {
    /// How long the queue's lock is waited for at a time; with the machine's steps it stays within the two seconds
    /// in which SIGTERM ends the program.
    private static let busyTimeout: Duration = .seconds(1)

    static func main() {
        StandardStreams.fill()
        StopSignals.install()
        let log = Log(program: "spool-drain")
        do throws(DaemonArguments.UsageError) {
            switch try DaemonArguments.parse(CommandLine.arguments.dropFirst(), of: "spool-drain") {
            case .help: print(DrainTexts.help)
            case .version: print(DrainTexts.version)
            case .run(let configuration, let once): exit(run(configuration, once: once, log).rawValue)
            }
        } catch {
            log.error("\(error)")
            exit(ExitCode.usage.rawValue)
        }
    }

    private static func print(_ text: String) {
        let output = FileDescriptor(owning: STDOUT_FILENO)
        try? output.writeAll(Array(text.utf8))
    }

    private static func run(_ file: String, once: Bool, _ log: Log) -> ExitCode {
        do {
            umask(0o007)
            let configuration = try Configuration.load(file)
            let spool = configuration.spool.directory
            try configuration.queue.checkPlace()
            try SpoolDirectory.becomeOwner(path: spool)
            let cure = "chown doorbell-spool:doorbell \(spool)/new \(spool)/corrupt"
            if let warning = ProcessIdentity.rootWarning(becauseOf: "\(spool)/new", cure: cure) {
                log.warning(warning)
            }
            if let warning = try SpoolDirectory(path: spool).warning(path: spool) { log.warning(warning) }
            let lock = try LockFile(path: configuration.queue.drainLock)
            let queue: QueueStore
            do throws(QueueError) {
                queue = try QueueStore(path: configuration.queue.path, busyTimeout: busyTimeout)
            } catch {
                var report = DrainReport(configuration, log: log, startedAt: .now)
                report.trouble(error)
                report.ended(at: .now, stuck: 0, isHoldingBack: false)
                return error.exitCode
            }
            if queue.isNew && !once { log.info("made the queue, \(configuration.queue.path)") }
            var loop = DrainLoop(configuration: configuration, queue: queue, log: log, once: once)
            loop.confine()
            if !once { log.info("drains \(spool)") }
            let code = loop.run()
            if !once { log.info("ended with code \(code.rawValue)") }
            _ = consume lock
            return code
        } catch let error as ConfigurationError {
            return refused(error, .configuration, log)
        } catch let error as SpoolFault {
            return refused(error, error.exitCode, log)
        } catch let error as UnsafePlace {
            return refused(error, error.exitCode, log)
        } catch let error as LockFile.Failure {
            return refused(error, error.exitCode, log)
        } catch {
            return refused(error, .software, log)
        }
    }

    private static func refused(_ error: Any, _ code: ExitCode, _ log: Log) -> ExitCode {
        log.error("\(error)")
        return code
    }
}
