internal import Glibc
internal import Synchronization

/// Set by the signal handlers; the only thing they share with the rest.
private let isRequested = Atomic(false)

/// SIGTERM and SIGINT as a flag that the loop looks at between two steps.
enum StopSignals {
    /// Whether one has come.
    static var hasCome: Bool { isRequested.load(ordering: .relaxed) }

    /// From now on SIGTERM and SIGINT ask the program to stop, and signals that would end it midway are ignored.
    static func install() {
        _ = hasCome  // so that no handler is the first to touch the flag
        for number in [SIGTERM, SIGINT, SIGALRM] { signal(number, stop) }
        // SIGHUP as well: there is nothing open to read again; a changed configuration takes a restart.
        for number in [SIGHUP, SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        // The signals may have come blocked from whoever started the program.
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }
}

/// A signal that lands between the loop's look at the flag and its wait wouldn't end the wait: so the next one comes
/// a second later, and again until the program has ended.
private func stop(_: CInt) {
    isRequested.store(true, ordering: .relaxed)
    alarm(1)
}
