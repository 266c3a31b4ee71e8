internal import Posix

/// What the command line asks for.
struct SimulatorOptions: Equatable {
    var port: UInt16 = 2_197
    var directory = "apns-simulator-files"
    var scriptFile: String?
    var rules: [String] = []
    var topic: String?
    var environment: SimulatedEnvironment?
    var maximumStreams: UInt32 = 1_000
    var chaosSeed: UInt64?
    /// What to print instead of listening.
    var answer: String?

    /// A command line that can't be understood; exit code 64.
    struct UsageError: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    static let usage = """
        Usage: apns-simulator [OPTION]...
        A strict stand-in for Apple's push service on this machine: takes pushes over HTTP/2 and TLS on 127.0.0.1,
        examines them as Apple does, and writes one JSON line for each to standard output.

          --port N                   listen on this port (2197; 0 is any free one)
          --directory DIR            keep ca.pem and AuthKey.p8 here, made when missing (./apns-simulator-files)
          --answer LINE              a line of a script; may be repeated
          --script FILE              answer and behave by the lines of this file; # starts a comment
          --chaos SEED               make up answers and connection scripts from this number
          --topic T                  the only topic that the key is for (any)
          --environment-only E       the only environment that the key is for: production or sandbox (both)
          --streams N                streams open at once on a connection, after its first 200 (1000)
          --help                     show this
          --version                  show the version

        A line is TOKENPREFIX = ANSWER, ANSWER, ... or * = ANSWER, ... where ANSWER is
          STATUS [REASON] [timestamp=TIME] [retry-after=SECONDS|TIME] [date=TIME] [delay=MS] [body=FORM]
        Each device token uses up the answers in order; the last one is repeated. Without a line it is 200.

        Or it is connection NUMBERS = STEP, STEP, ... where NUMBERS are like 1, 3-5, 6-* or *, and STEP is
          answer [EXTENT] [with ANSWER]     refuse [EXTENT]     reset [EXTENT] [code=CODE]     ignore [EXTENT]
          wait SPAN     streams N     goaway [last=N|all|none] [code=CODE] [data=TEXT]
          silence [SPAN]     stop-reading [SPAN]     close     abort     or, alone, reject     hang
        EXTENT is a number of requests or a span such as 500ms or 10s; without it the step has no end.

        """

    /// Reads the arguments behind the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--help": answer = Self.usage
            case "--version": answer = "apns-simulator \(Version.text)\n"
            default: try set(option, from: &rest)
            }
        }
    }

    private static let names = [
        "--port", "--directory", "--answer", "--script", "--chaos", "--topic", "--environment-only",
        "--streams",
    ]

    private mutating func set(_ option: String, from rest: inout ArraySlice<String>) throws(UsageError) {
        guard Self.names.contains(option) else {
            throw UsageError(description: "unknown option \(option); see apns-simulator --help")
        }
        guard let value = rest.popFirst() else {
            throw UsageError(description: "\(option) needs a value")
        }
        switch option {
        case "--port": port = try number(option, value)
        case "--directory": directory = value
        case "--answer": rules.append(value)
        case "--script": scriptFile = value
        case "--chaos": chaosSeed = try number(option, value)
        case "--topic": topic = value
        case "--environment-only":
            guard let named = SimulatedEnvironment(rawValue: value) else {
                throw UsageError(description: "\(option) is production or sandbox, not \(value)")
            }
            environment = named
        default: maximumStreams = try number(option, value)
        }
    }

    private func number<Number: FixedWidthInteger>(_ option: String, _ value: String) throws(UsageError)
        -> Number
    {
        guard let number = Number(value), number >= 0 else {
            throw UsageError(description: "\(option) is a number from 0 to \(Number.max), not \(value)")
        }
        return number
    }
}
