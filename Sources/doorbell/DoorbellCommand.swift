internal import Settings
internal import Glibc
internal import Posix
internal import Queue

/// `doorbell`: the operator's program.
///
/// Each command opens the queue or the spool as the owner of its directory, does one thing and ends.
@main
enum DoorbellCommand {
    /// How long a command waits for another process's transaction.
    static let busyTimeout: Duration = .seconds(5)

    static func main() {
        StandardStreams.fill()
        umask(0o007)
        do {
            try write(run(DoorbellArguments(CommandLine.arguments.dropFirst())), to: STDOUT_FILENO)
        } catch {
            try? write("doorbell: \(error)\n", to: STDERR_FILENO)
            exit(CommandFailure.exitCode(of: error).rawValue)
        }
    }

    private static func run(_ arguments: DoorbellArguments) throws -> String {
        switch arguments.command {
        case .help: return "\(DoorbellArguments.help)\n"
        case .version: return "doorbell \(Version.text)\n"
        case .addDevice(let options):
            let configuration = try Configuration.load(arguments.configuration)
            let token = try TokenInput.read(from: FileDescriptor(owning: dup(STDIN_FILENO)))
            return try add(options.registration(token: token, configuration: configuration), configuration)
        case .listDevices:
            let devices = try open(try Configuration.load(arguments.configuration)).devices()
            return DeviceTable(devices, now: .now).text
        case .removeDevice(let id):
            return try remove(id, try open(try Configuration.load(arguments.configuration)))
        case .status(let json):
            let configuration = try Configuration.load(arguments.configuration)
            let now = WallTime.now
            // While root still is: the queue's owner may not look there.
            let spool = Result { () throws(SystemCallError) in
                try SpoolContents(spool: configuration.spool.directory)
            }
            let counts = try open(configuration).counts(now: now)
            let status = try Status(configuration: configuration, spool: spool, counts: counts, now: now)
            return json ? status.json : status.text
        case .trace(let apnsID):
            let configuration = try Configuration.load(arguments.configuration)
            guard let trace = try open(configuration).trace(apnsID: apnsID) else {
                throw CommandFailure(
                    exitCode: .unavailable,
                    description: "no delivery has this apns-id, or it ended longer than retention.push ago")
            }
            let hindrance = try Hindrance(configuration)
            return TraceReport(trace, hindrance: hindrance.of(trace.device), now: .now).text
        case .traceUser(let user, let last):
            let configuration = try Configuration.load(arguments.configuration)
            let store = try open(configuration)
            let wakes = try store.wakes(of: user, limit: last)
            let hasDevice = try store.devices().contains {
                $0.removedAt == nil && $0.user.utf8.elementsEqual(user.utf8)
            }
            return WakeTable(wakes, hasDevice: hasDevice, try Hindrance(configuration), now: .now).text
        case .checkQueue: return try checkQueue(try Configuration.load(arguments.configuration))
        case .salvageQueue: return try salvageQueue(try Configuration.load(arguments.configuration))
        case .listCorrupt: return try listCorrupt(try Configuration.load(arguments.configuration))
        case .retryCorrupt(let name):
            return try retryCorrupt(name, try Configuration.load(arguments.configuration))
        }
    }

    private static func remove(_ id: Int64?, _ store: QueueStore) throws -> String {
        guard let id else {
            let count = try store.removeAllDevices(now: .now)
            return "\(count) \(count == 1 ? "device" : "devices") removed\n"
        }
        guard try store.removeDevice(id, now: .now) else {
            throw CommandFailure(
                exitCode: .unavailable, description: "no live device \(id); see doorbell device list")
        }
        return ""
    }

    static func open(_ configuration: Configuration, creating: Bool = false) throws -> QueueStore {
        try enter(configuration.queue)
        return try QueueStore(
            path: configuration.queue.path, busyTimeout: busyTimeout, creating: creating)
    }

    /// Makes root go on as the owner of the queue's directory, once that is safe to work in.
    static func enter(_ queue: Configuration.Queue) throws {
        try queue.checkPlace()
        try ProcessIdentity.becomeOwner(ofDirectory: queue.directory)
    }

    static func write(_ text: String, to descriptor: CInt) throws(CommandFailure) {
        do throws(SystemCallError) {
            try FileDescriptor(owning: dup(descriptor)).writeAll(Array(text.utf8))
        } catch {
            throw CommandFailure(
                exitCode: .inputOutput, description: "the output can't be written: \(error.errno)")
        }
    }
}
