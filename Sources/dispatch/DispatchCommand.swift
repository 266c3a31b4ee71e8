internal import APNs
internal import Settings
internal import Glibc
internal import Posix
internal import Queue
internal import Reporting
internal import TLS
internal import TokenSealing

/// `dispatch`: queue → APNs.
///
/// Wires the parts together and turns failures into exit codes (sysexits.h).
@main
enum DispatchCommand {
    /// How long a statement waits for another process's transaction before the loop goes on.
    private static let busyTimeout: Duration = .milliseconds(200)

    private static let help = """
        usage: dispatch [--config FILE] [--once]

        Sends the wakes in the queue to APNs, as they come.

          --config FILE  read this configuration instead of \(Configuration.defaultPath)
          --once         send what is due and end
          --help         print this
          --version      print the version

        SIGTERM ends it once open requests are answered, within \(StopMachine.bound.components.seconds) seconds. \
        SIGHUP has it read configuration and key again.

        """

    static func main() {
        StandardStreams.fill()
        let log = Log(program: "dispatch")
        do throws(DaemonArguments.UsageError) {
            switch try DaemonArguments.parse(CommandLine.arguments.dropFirst(), of: "dispatch") {
            case .help: say(help)
            case .version: say("dispatch \(Version.text)\n")
            case .run(let configuration, let once): exit(run(configuration, once: once, log).rawValue)
            }
        } catch {
            log.error("\(error)")
            exit(ExitCode.usage.rawValue)
        }
    }

    private static func say(_ text: String) {
        try? FileDescriptor(owning: STDOUT_FILENO, named: "standard output").writeAll(Array(text.utf8))
    }

    private static func run(_ file: String, once: Bool, _ log: Log) -> ExitCode {
        do {
            umask(0o007)
            let signals = try SignalDescriptor()
            let configuration = try Configuration.load(file)
            try configuration.queue.checkPlace()
            // Before anything is opened: started by root it must leave nothing that the service can't use.
            let directory = configuration.queue.directory
            try ProcessIdentity.becomeOwner(ofDirectory: directory)
            let cure = "chown -R doorbell:doorbell \(directory)"
            if let warning = ProcessIdentity.rootWarning(becauseOf: directory, cure: cure) {
                log.warning(warning)
            }
            let provider = try provider(configuration, previous: nil, log)
            let dovecot = try Dovecot(configuration.dovecot)
            if let why = configuration.pushIsDisabledBecause { log.info("push is off: \(why)") }
            warnOfProxy(log)
            let lock = try LockFile(path: configuration.queue.dispatchLock)
            defer { withExtendedLifetime(lock) {} }
            let store = try openQueue(configuration, log)
            if store.isNew { log.info("made the queue, \(configuration.queue.path)") }
            let secret = try store.secret()
            let fanOut = FanOut(
                expiration: configuration.queue.expiration,
                keyedHash: { Hash.hmacSHA256(key: secret, $0) }, sha1: { Hash.sha1($0) })
            let dispatcher = Dispatcher(
                configuration: configuration, store: store, provider: provider, dovecot: dovecot,
                fanOut: fanOut, clocks: .system, log: log)
            let trigger = try TriggerFIFO(path: configuration.queue.trigger, mode: 0o660)
            log.info("started, version \(Version.text)")
            let isDone = try dispatcher.run(signals: signals, trigger: trigger, once: once) {
                try renewal(file, of: dispatcher.provider, queue: configuration.queue.path, log)
            }
            log.info("stopped")
            return isDone || !once ? .ok : .temporaryFailure
        } catch {
            log.error("\(error)")
            return exitCode(of: error)
        }
    }

    /// Opens and unlocks the queue; trouble with that is counted here, since no loop runs yet to do it.
    private static func openQueue(_ configuration: Configuration, _ log: Log) throws -> QueueStore {
        do {
            let store = try QueueStore(path: configuration.queue.path, busyTimeout: busyTimeout)
            try unlock(store, configuration, log)
            return store
        } catch {
            if let directory = configuration.metrics.directory {
                var metrics = DispatchMetrics(startedAt: .now)
                metrics.count((error as? QueueError)?.trouble ?? .key)
                try? Textfile(directory: directory, name: DispatchMetrics.name).write(
                    metrics.text(lanes: [], clockSkew: nil, now: .now))
            }
            throw error
        }
    }

    private static func unlock(_ store: QueueStore, _ configuration: Configuration, _ log: Log) throws {
        let file = TokenKeyFile(path: configuration.queue.tokenKey)
        guard try !store.unlock(with: file.load(making: try !store.hasSealedTokens())) else { return }
        log.warning(
            "\(configuration.queue.path): traces of device tokens from before they were sealed are left, because "
                + "another program reads it or there is no room; they are removed at the next start")
    }

    private static func provider(_ configuration: Configuration, previous: Provider?, _ log: Log) throws
        -> Provider?
    {
        guard let push = configuration.push else { return nil }
        let overrides = Provider.Overrides(
            host: variable("DOORBELL_APNS_HOST"), certificateAuthority: variable("DOORBELL_APNS_CA"))
        let provider = try Provider(
            push: push, tokenFile: configuration.queue.providerToken, overrides: overrides,
            previous: previous, clocks: .system)
        for environment in Environment.allCases {
            guard let standIn = provider.standIn(for: environment) else { continue }
            log.warning("\(environment.rawValue): \(standIn) in Apple's place (DOORBELL_APNS_HOST)")
        }
        return provider
    }

    /// A process stays with its queue.
    private struct MovedQueue: Error, CustomStringConvertible {
        let description = "queue.path has changed, which takes a restart"
    }

    private static func renewal(_ file: String, of old: Provider?, queue: String, _ log: Log) throws
        -> Dispatcher.Renewal
    {
        let configuration = try Configuration.load(file)
        guard configuration.queue.path == queue else {
            throw MovedQueue()
        }
        let provider = try provider(configuration, previous: old, log)
        let dovecot = try Dovecot(configuration.dovecot)
        return Dispatcher.Renewal(configuration: configuration, provider: provider, dovecot: dovecot)
    }

    /// A proxy that is set and not used would be looked for in the wrong place when nothing gets through.
    private static func warnOfProxy(_ log: Log) {
        for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] where variable(name) != nil {
            log.warning("\(name) is set and not used: connections to Apple are made directly")
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func exitCode(of error: any Error) -> ExitCode {
        switch error {
        case is ConfigurationError, is Provider.Failure, is Endpoint.Malformed: .configuration
        case let error as UnsafePlace: error.exitCode
        case let error as LockFile.Failure: error.exitCode
        case let error as QueueError: error.exitCode
        case let error as TokenKeyFile.Failure: error.exitCode
        default: .inputOutput
        }
    }
}
