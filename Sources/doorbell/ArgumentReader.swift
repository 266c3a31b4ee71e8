/// Takes arguments apart: options begin with a dash and may carry their value after `=`; all else is a word.
struct ArgumentReader {
    /// One step.
    enum Argument: Equatable {
        case option(String)
        case word(String)
    }

    private var rest: ArraySlice<String>
    /// What followed `=` in the option given last, until it is asked for.
    private var attached: (option: String, value: String)?

    init(_ arguments: some Sequence<String>) { rest = Array(arguments)[...] }

    /// The next argument; nil at the end.
    mutating func next() throws(DoorbellArguments.UsageError) -> Argument? {
        if let attached {
            throw DoorbellArguments.UsageError(description: "\(attached.option): takes no value")
        }
        guard let argument = rest.popFirst() else { return nil }
        guard argument.hasPrefix("-") else { return .word(argument) }
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let option = String(parts[0])
        if parts.count == 2 { attached = (option, String(parts[1])) }
        return .option(option)
    }

    /// The value of the option given last.
    mutating func value(of option: String) throws(DoorbellArguments.UsageError) -> String {
        defer { attached = nil }
        guard let value = attached?.value ?? rest.popFirst() else {
            throw DoorbellArguments.UsageError(description: "\(option): its value is missing")
        }
        return value
    }
}
