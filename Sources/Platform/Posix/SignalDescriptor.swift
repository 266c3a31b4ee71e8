internal import CPosix
internal import Glibc

/// Signals as something to poll(2) for, so that one loop sees them in order with everything else (signalfd(2)).
public struct SignalDescriptor: ~Copyable {
    /// The signals the daemons act on.
    public enum Signal: Equatable, Sendable {
        /// SIGTERM or SIGINT: stop gracefully.
        case stop
        /// SIGHUP: read configuration and key again.
        case reload
    }

    private let descriptor: FileDescriptor

    /// Blocks the signals' default actions and ignores SIGPIPE for the whole process.
    ///
    /// Call it before any thread is started: threads inherit what is blocked.
    public init() throws(SystemCallError) {
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
        _ = try systemCall("sigprocmask", "SIG_BLOCK") { sigprocmask(SIG_BLOCK, &set, nil) }
        let number = try systemCall("signalfd", "SIGTERM SIGINT SIGHUP") {
            signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        }
        descriptor = FileDescriptor(owning: number, named: "signals")
    }

    /// What to poll(2) for reading.
    public var rawValue: CInt { descriptor.rawValue }

    /// The next signal that has arrived, or nil.
    public func next() -> Signal? {
        guard let bytes = try? descriptor.read(upTo: MemoryLayout<signalfd_siginfo>.size),
            bytes.count == MemoryLayout<signalfd_siginfo>.size
        else { return nil }
        let number = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        return number == UInt32(SIGHUP) ? .reload : .stop
    }
}
