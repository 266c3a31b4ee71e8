/// What dispatch was called with.
struct DispatchArguments: Equatable {
    /// What to do.
    enum Action: Equatable {
        case run
        case showHelp
        case showVersion
    }

    var action = Action.run
    var configuration = "/etc/doorbell/doorbell.toml"
    /// Ends when nothing is due and nothing in hand.
    var once = false

    static let help = """
        usage: dispatch [--config FILE] [--once]
          --config FILE  instead of /etc/doorbell/doorbell.toml
          --once         send what is due, then end
        """

    /// An argument that isn't understood.
    struct UsageError: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// Reads the arguments after the program's name.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--config":
                guard let file = rest.popFirst() else {
                    throw UsageError(description: "--config: a file's path must follow")
                }
                configuration = file
            case "--once": once = true
            case "--foreground": break  // For supervisors' habits: there is no other way to run.
            case "--help": action = .showHelp
            case "--version": action = .showVersion
            default: throw UsageError(description: "\(argument): not understood; see dispatch --help")
            }
        }
    }
}
