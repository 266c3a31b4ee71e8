/// What the command line of a daemon asks for.
public enum DaemonArguments: Equatable, Sendable {
    /// Run; with `once` only until nothing is left to do.
    case run(configuration: String, once: Bool)
    /// Print how the program is called.
    case help
    /// Print its version.
    case version

    /// A command line that makes no sense; exit code 64.
    public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
        /// What isn't understood.
        public let fault: String
        /// Whose command line it is.
        public let program: String

        /// The fault and where to read on.
        public var description: String { "\(fault); see \(program) --help" }
    }

    /// Reads the arguments behind the program's name.
    public static func parse(_ arguments: some Sequence<String>, of program: String) throws(UsageError)
        -> DaemonArguments
    {
        var configuration = Configuration.defaultPath
        var once = false
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help": return .help
            case "--version": return .version
            case "--once": once = true
            case "--config":
                guard let file = rest.popFirst() else {
                    throw UsageError(fault: "--config needs a file", program: program)
                }
                configuration = file
            default: throw UsageError(fault: "unknown argument \(argument)", program: program)
            }
        }
        return .run(configuration: configuration, once: once)
    }
}
