internal import Settings
internal import Posix

/// What the command line asks for.
enum DrainArguments: Equatable {
    case run(configuration: String, once: Bool)
    case help
    case version

    /// A command line that makes no sense.
    struct UsageError: Error, Equatable, CustomStringConvertible {
        let fault: String

        /// The fault and where to read on.
        var description: String { "\(fault); see spool-drain --help" }
    }

    static let versionText = "spool-drain \(Version.text)\n"

    static let helpText = """
        usage: spool-drain [--config FILE] [--once]

        Moves the entries of the spool to the queue, as they come.

          --config FILE  read this configuration instead of \(Configuration.defaultPath)
          --once         move what is there and end, for cron and for trying out
          --help         print this
          --version      print the version

        SIGTERM ends it within two seconds. Restart it after a change of the configuration.

        """

    /// Reads the arguments, the program's name left out.
    static func parse(_ arguments: [String]) throws(UsageError) -> DrainArguments {
        var configuration = Configuration.defaultPath
        var once = false
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help": return .help
            case "--version": return .version
            case "--once": once = true
            case "--config":
                guard let file = rest.popFirst() else { throw UsageError(fault: "--config needs a file") }
                configuration = file
            default: throw UsageError(fault: "unknown argument \(argument)")
            }
        }
        return .run(configuration: configuration, once: once)
    }
}
