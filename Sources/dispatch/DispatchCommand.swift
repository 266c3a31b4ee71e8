internal import Settings
internal import Glibc
internal import Posix
internal import Queue
internal import Reporting
internal import TLS

/// `dispatch`: queue → APNs.
///
/// Wires the parts together and turns failures into exit codes (sysexits.h).
@main
enum DispatchCommand {
    /// How long a statement waits for another process's transaction before the loop goes on.
    private static let busyTimeout: Duration = .milliseconds(200)

    static func main() {
        StandardStreams.fill()
        let log = Log(program: "dispatch")
        let arguments: DispatchArguments
        do throws(DispatchArguments.UsageError) {
            arguments = try DispatchArguments(CommandLine.arguments.dropFirst())
        } catch {
            log.error("\(error)")
            exit(EX_USAGE)
        }
        switch arguments.action {
        case .showHelp: say(DispatchArguments.help)
        case .showVersion: say("dispatch \(Version.text)")
        case .run: exit(run(arguments, log))
        }
    }

    private static func say(_ text: String) {
        try? FileDescriptor(owning: dup(1)).writeAll(Array("\(text)\n".utf8))
    }

    private static func run(_ arguments: DispatchArguments, _ log: Log) -> CInt {
        do {
            let signals = try SignalDescriptor()
            let configuration = try Configuration.load(arguments.configuration)
            // Before anything is opened: started by root it must leave nothing that the service can't use.
            try ProcessIdentity.becomeOwner(ofDirectory: configuration.queue.directory)
            let provider = try provider(configuration, previous: nil)
            if let why = configuration.pushIsDisabledBecause { log.info("push is off: \(why)") }
            let lock = try LockFile(path: configuration.queue.dispatchLock)
            defer { withExtendedLifetime(lock) {} }
            let store = try QueueStore(path: configuration.queue.path, busyTimeout: busyTimeout)
            let secret = try store.secret()
            let fanOut = FanOut(
                expiration: configuration.queue.expiration,
                keyedHash: { Hash.hmacSHA256(key: secret, $0) }, sha1: { Hash.sha1($0) })
            let dispatcher = Dispatcher(
                configuration: configuration, store: store, provider: provider, fanOut: fanOut,
                clocks: .system, log: log)
            let trigger = try TriggerFIFO(path: configuration.queue.trigger, mode: 0o660)
            log.info("started, version \(Version.text)")
            let isDone = try dispatcher.run(signals: signals, trigger: trigger, once: arguments.once) {
                renewal(arguments, of: dispatcher.provider, log)
            }
            log.info("stopped")
            return isDone || !arguments.once ? EX_OK : EX_TEMPFAIL
        } catch {
            log.error("\(error)")
            return exitCode(of: error)
        }
    }

    private static func provider(_ configuration: Configuration, previous: Provider?) throws -> Provider? {
        guard let push = configuration.push else { return nil }
        let overrides = Provider.Overrides(
            host: variable("DOORBELL_APNS_HOST"), certificateAuthority: variable("DOORBELL_APNS_CA"))
        return try Provider(
            push: push, tokenFile: configuration.queue.providerToken, overrides: overrides,
            previous: previous, clocks: .system)
    }

    /// The configuration may have been left half edited: then nil, and the old one goes on untouched.
    private static func renewal(_ arguments: DispatchArguments, of old: Provider?, _ log: Log)
        -> Dispatcher.Renewal?
    {
        do {
            let configuration = try Configuration.load(arguments.configuration)
            let provider = try provider(configuration, previous: old)
            log.info("configuration read again")
            return Dispatcher.Renewal(configuration: configuration, provider: provider)
        } catch {
            log.error("configuration not read again, the old one stays: \(error)")
            return nil
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func exitCode(of error: any Error) -> CInt {
        switch error {
        case is ConfigurationError, is Provider.Failure: EX_CONFIG
        case LockFile.Failure.held: EX_TEMPFAIL
        case let error as QueueError: error.exitCode
        default: EX_IOERR
        }
    }
}
