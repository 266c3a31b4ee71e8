public import Foundation
import Synchronization

/// A program that a test has started, with its output as lines that can be waited for.
///
/// Ends with its owner: SIGKILL, so that a failing test leaves nothing behind.
public final class RunningProgram: Sendable {
    /// How a program ended.
    public enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// What a test waited for in vain.
    public struct DeadlinePassed: Error, CustomStringConvertible {
        let what: String
        let output: String

        /// Names the event and what the program said until then.
        public var description: String { "no \(what) in time; so far:\n\(output)" }
    }

    private let process: Mutex<Process>
    private let shared = Shared()

    /// What the reader threads and the waiting test share; a condition, because a test waits with a deadline.
    private final class Shared: @unchecked Sendable {  // every access holds `condition`
        let condition = NSCondition()
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var openStreams = 2
        var ending: Ending?
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: an absolute path.
    ///   - arguments: what follows the program's name.
    ///   - environment: the whole environment; nil passes on the test's own.
    ///   - input: bytes for standard input, which then ends; nil is an empty one.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        input: Data? = nil, directory: String? = nil
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        if let environment { process.environment = environment }
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        let standardInput = input.map { _ in Pipe() }
        if let standardInput {
            process.standardInput = standardInput
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        let shared = shared
        process.terminationHandler = { ended in
            shared.condition.withLock {
                shared.ending =
                    ended.terminationReason == .exit
                    ? .exited(ended.terminationStatus) : .signalled(ended.terminationStatus)
                shared.condition.broadcast()
            }
        }
        try Self.withoutBlockedSignals { try process.run() }
        self.process = Mutex(process)
        collect(output.fileHandleForReading) { $0.output.append(contentsOf: $1) }
        collect(errors.fileHandleForReading) { $0.errors.append(contentsOf: $1) }
        if let standardInput, let input {
            let handle = standardInput.fileHandleForWriting
            Thread.detachNewThread {
                signal(SIGPIPE, SIG_IGN)
                try? handle.write(contentsOf: input)
                try? handle.close()
            }
        }
    }

    deinit { send(SIGKILL) }

    /// Tests run on threads that block most signals, and a program inherits that: it would never hear of SIGTERM.
    private static func withoutBlockedSignals(_ start: () throws -> Void) rethrows {
        var none = sigset_t()
        var blocked = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        try start()
    }

    private func collect(_ handle: FileHandle, into keep: @escaping @Sendable (Shared, Data) -> Void) {
        let shared = shared
        Thread.detachNewThread {
            // Not with Foundation: it ends the tests when a signal interrupts it.
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(handle.fileDescriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                shared.condition.withLock {
                    keep(shared, Data(buffer[..<count]))
                    shared.condition.broadcast()
                }
            }
            // Now, as Process keeps its pipes, and select(2), in libinotifytools, takes descriptors below 1024 only.
            try? handle.close()
            shared.condition.withLock {
                shared.openStreams -= 1
                shared.condition.broadcast()
            }
        }
    }

    /// The process id.
    public var processIdentifier: Int32 { process.withLock { $0.processIdentifier } }

    /// Everything written to standard output so far.
    public var output: String {
        shared.condition.withLock { String(decoding: shared.output, as: UTF8.self) }
    }

    /// The whole lines written to standard output beyond so many bytes of it, which these are then added to.
    public func output(beyond seen: inout Int) -> String {
        let news = shared.condition.withLock { shared.output[seen...] }
        guard let end = news.lastIndex(of: UInt8(ascii: "\n")) else { return "" }
        seen = end + 1
        return String(decoding: news[...end], as: UTF8.self)
    }

    /// Everything written to standard error so far.
    public var errors: String {
        shared.condition.withLock { String(decoding: shared.errors, as: UTF8.self) }
    }

    /// Sends a signal; nothing when the program has ended, since its id may be another's by now.
    public func send(_ signal: Int32) {
        process.withLock { process in
            if process.isRunning { kill(process.processIdentifier, signal) }
        }
    }

    /// Waits until the program has ended and both its streams are closed; gives how it ended.
    @discardableResult
    public func waitForEnd(within seconds: Double = 30) throws -> Ending {
        try wait("end", within: seconds) { $0.openStreams == 0 ? $0.ending : nil }
    }

    /// Waits for the first line of standard output or standard error for which `matches` gives a value.
    @discardableResult
    public func waitForLine<Found>(
        _ what: String, within seconds: Double = 30, where matches: (String) -> Found?
    ) throws -> Found {
        try wait("line with \(what)", within: seconds) { shared in
            let text = String(decoding: shared.output + shared.errors, as: UTF8.self)
            for line in text.split(separator: "\n") {
                if let found = matches(String(line)) { return found }
            }
            return nil
        }
    }

    /// Waits for the first line that contains `text`, and gives it.
    @discardableResult
    public func waitForLine(containing text: String, within seconds: Double = 30) throws -> String {
        try waitForLine(text, within: seconds) { $0.contains(text) ? $0 : nil }
    }

    /// Waits until `matches` gives a value for everything that standard output has so far.
    @discardableResult
    public func waitForOutput<Found>(
        _ what: String, within seconds: Double = 30, where matches: (String) -> Found?
    ) throws -> Found {
        try wait(what, within: seconds) { matches(String(decoding: $0.output, as: UTF8.self)) }
    }

    /// Waits until more than `count` bytes have been written, or not for longer than this; gives how many it are.
    ///
    /// For a loop that looks at something else each time: unlike the other waits it reads nothing of what was written.
    public func waitForNews(beyond count: Int, within seconds: Double) -> Int {
        let deadline = Date(timeIntervalSinceNow: seconds)
        return shared.condition.withLock {
            while shared.output.count + shared.errors.count <= count, shared.ending == nil,
                shared.condition.wait(until: deadline)
            {}
            return shared.output.count + shared.errors.count
        }
    }

    private func wait<Found>(_ what: String, within seconds: Double, until found: (Shared) -> Found?) throws
        -> Found
    {
        let deadline = Date(timeIntervalSinceNow: seconds)
        return try shared.condition.withLock {
            while true {
                if let value = found(shared) { return value }
                guard shared.condition.wait(until: deadline) else {
                    throw DeadlinePassed(
                        what: what,
                        output: String(decoding: shared.output + shared.errors, as: UTF8.self))
                }
            }
        }
    }
}

extension RunningProgram {
    /// What a program that has ended left behind.
    public struct Result: Sendable {
        /// How it ended.
        public let ending: Ending
        /// Its standard output.
        public let output: String
        /// Its standard error.
        public let errors: String
    }

    /// Runs a program to its end.
    public static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        input: Data? = nil, directory: String? = nil, within seconds: Double = 30
    ) throws -> Result {
        let running = try RunningProgram(
            program, arguments, environment: environment, input: input, directory: directory)
        let ending = try running.waitForEnd(within: seconds)
        return Result(ending: ending, output: running.output, errors: running.errors)
    }
}
