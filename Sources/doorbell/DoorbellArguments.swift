internal import APNs
internal import Queue
internal import Settings

/// What the operator asked for, read from the arguments.
struct DoorbellArguments: Equatable {
    /// One command with its options.
    enum Command: Equatable {
        case help
        case version
        case addDevice(DeviceOptions)
        case listDevices
        /// The one of this id; nil for all.
        case removeDevice(Int64?)
        case status(json: Bool)
        /// By the `apns-id` of a delivery, in its canonical form.
        case trace(String)
        /// So many of a user's newest wakes.
        case traceUser(String, last: Int)
        case listCorrupt
        /// The entry of this name as the list has it; nil for all.
        case retryCorrupt(String?)
        case checkQueue
        case salvageQueue
    }

    /// The configuration file.
    var configuration = Configuration.defaultPath
    var command = Command.help

    static let help = """
        usage: doorbell [--config FILE] COMMAND

        device add --user USER [OPTIONS]   register the device whose token is on standard input and print its
                                           id; for one that is known, the options replace what was said before
          --topic TOPIC                    the app's bundle id; else push.topic of the configuration
          --environment ENVIRONMENT        production or sandbox; else push.environment of the configuration
          --platform PLATFORM              ios (an alert) or macos (a background wake); else ios
          --label LABEL                    what you call it
          --folders FOLDER,FOLDER          the folders that ring it, * for all; else INBOX only
          --folder FOLDER                  one more, which may have a comma in its name
          --app-version VERSION            the app's version
          --locale LOCALE                  the device's language
          --account-ref REFERENCE          what the app calls the account
        device list                        all devices, each with 8 characters of its token
        device remove ID|--all             remove one, or all; what waits for them is dropped
        status [--json]                    what runs, what waits, how wakes ended
        trace --user USER [--last NUMBER]  what became of the user's newest 20 wakes, or so many, and why
        trace APNS-ID                      what became of one wake, by the apns-id of a log line
        queue check                        whether the queue is damaged, and where
        queue salvage                      make a new queue of what a damaged one still holds, and keep that; the
                                           daemons must be stopped
        spool corrupt list                 the entries that could not be used, each with its reason
        spool corrupt retry NAME|--all     put one, or all, back into the spool to be judged again

        --config FILE                      instead of \(Configuration.defaultPath)
        --help, --version
        """

    /// An argument that isn't understood; the program exits 64.
    struct UsageError: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// Reads the arguments after the program's name.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = ArgumentReader(arguments)
        var isJSON = false
        var isAll = false
        var device = DeviceOptions()
        var words: [String] = []
        var last = 20
        while let argument = try rest.next() {
            switch argument {
            case .option("--help"), .option("-h"): return
            case .option("--version"):
                command = .version
                return
            case .option("--config"): configuration = try rest.value(of: "--config")
            case .option("--json") where words == ["status"]: isJSON = true
            case .option("--all")
            where words == ["spool", "corrupt", "retry"] || words == ["device", "remove"]:
                isAll = true
            case .option(let name) where words == ["device", "add"]: try device.take(name, from: &rest)
            case .option("--user") where words == ["trace"]: try device.take("--user", from: &rest)
            case .option("--last") where words == ["trace"]:
                guard let number = Int(try rest.value(of: "--last")), Self.lastRange.contains(number) else {
                    let fault = "must be \(Self.lastRange.lowerBound) to \(Self.lastRange.upperBound)"
                    throw UsageError(description: "--last: \(fault)")
                }
                last = number
            case .option(let name):
                throw UsageError(description: "\(name): not understood; see doorbell --help")
            case .word(let word): words.append(word)
            }
        }
        command = try Self.command(words, device, isJSON: isJSON, isAll: isAll, last: last)
    }

    /// As many as the queue keeps of a user's wakes that have ended.
    private static let lastRange = 1...QueueStore.accountCeiling

    private static func command(
        _ words: [String], _ device: DeviceOptions, isJSON: Bool, isAll: Bool, last: Int
    ) throws(UsageError) -> Command {
        switch words {
        case ["status"]: return .status(json: isJSON)
        case ["device", "list"]: return .listDevices
        case ["device", "add"]:
            guard device.user != nil else { throw UsageError(description: "device add: --user is missing") }
            return .addDevice(device)
        case ["device", "remove"] where isAll: return .removeDevice(nil)
        case _ where words.starts(with: ["device", "remove"]) && words.count == 3 && !isAll:
            guard let id = Int64(words[2]), id > 0 else {
                throw UsageError(description: "device remove: needs an id; see doorbell device list")
            }
            return .removeDevice(id)
        case ["trace"]:
            guard let user = device.user else {
                throw UsageError(description: "trace: needs an apns-id, as the log has it, or --user")
            }
            return .traceUser(user, last: last)
        case _ where words.first == "trace" && words.count == 2:
            guard let id = NotificationID.canonical(words[1]) else {
                throw UsageError(description: "trace: needs an apns-id, as the log has it")
            }
            return .trace(id)
        case ["queue", "check"]: return .checkQueue
        case ["queue", "salvage"]: return .salvageQueue
        case ["spool", "corrupt", "list"]: return .listCorrupt
        case _ where words.starts(with: ["spool", "corrupt", "retry"]) && words.count == (isAll ? 3 : 4):
            return .retryCorrupt(isAll ? nil : words[3])
        case ["spool", "corrupt", "retry"]:
            throw UsageError(
                description: "spool corrupt retry: needs a name or --all; see doorbell spool corrupt list")
        default:
            // What was said isn't repeated: it may be a token that should have come on standard input.
            throw UsageError(description: "no such command; see doorbell --help")
        }
    }
}
