internal import Glibc
internal import Posix

/// A program's log: one line per event on standard error, where a supervisor collects it.
///
/// A line is never longer than PIPE_BUF, so that lines of two programs on one pipe don't mix, and a reader that
/// has stopped reading never stops the program: what doesn't fit into the pipe is dropped.
public struct Log: Sendable {
    /// How much a line matters; a person is meant to read every warning and act on every error.
    public enum Level: String, Sendable {
        case info, warning, error

        /// The number that journald reads from the start of a line (sd-daemon(3)).
        var priority: Int {
            switch self {
            case .info: 6
            case .warning: 4
            case .error: 3
            }
        }
    }

    private let program: String
    private let toJournal: Bool
    private let put: @Sendable ([UInt8]) -> Void

    /// Starts the log of a program; where systemd says that it reads along, lines carry its priorities.
    public init(program: String) {
        self.init(program: program, toJournal: getenv("JOURNAL_STREAM") != nil, Self.toStandardError)
    }

    /// Starts a log whose lines go elsewhere, for a test that reads them.
    public init(program: String, to put: @escaping @Sendable ([UInt8]) -> Void) {
        self.init(program: program, toJournal: false, put)
    }

    private init(program: String, toJournal: Bool, _ put: @escaping @Sendable ([UInt8]) -> Void) {
        self.program = program
        self.toJournal = toJournal
        self.put = put
    }

    /// Tells what happened, when that is as it should be.
    public func info(_ text: String) { write(.info, text) }

    /// Tells of trouble that the program gets over by itself.
    public func warning(_ text: String) { write(.warning, text) }

    /// Tells of trouble that a person has to mend.
    public func error(_ text: String) { write(.error, text) }

    private func write(_ level: Level, _ text: String) {
        put(
            Self.line(
                level, text, program: program, process: getpid(), at: toJournal ? nil : WallTime.now))
    }

    private static func toStandardError(_ line: [UInt8]) {
        var standardError = pollfd(fd: STDERR_FILENO, events: CShort(POLLOUT), revents: 0)
        guard poll(&standardError, 1, 0) == 1, standardError.revents & CShort(POLLOUT) != 0 else { return }
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }

    /// The bytes of one line; `time` is nil where journald puts its own.
    static func line(_ level: Level, _ text: String, program: String, process: Int32, at time: WallTime?)
        -> [UInt8]
    {
        let start = time.map { "\($0.text) " } ?? "<\(level.priority)>"
        let line = "\(start)\(program)[\(process)] \(level.rawValue): \(text)"
        // A control character could start a line of its own or write to the terminal of whoever reads this.
        return line.utf8.prefix(Int(PIPE_BUF) - 1).map { $0 < 0x20 || $0 == 0x7F ? 0x3F : $0 } + [0x0A]
    }
}
