internal import Posix
internal import Queue
internal import SpoolDirectories

/// Decides what the drain does next: pure, so that every order of events can be tried.
///
///     establishing ─▶ scanning ─▶ reading ─▶ settingAside ─▶ inserting ─▶ unlinking ─▶ triggering
///          ▲             ▲           ▲                                                     │
///          │             │           └───────────────── next batch ────────────────────────┤
///          └── waiting ──┴───◀──────────────────────── nothing left ───────────────────────┘
///
/// It watches first and then scans, so that nothing falls between the two. A name that appears during a scan is heard
/// of in the wait after it: where the scan has drained it, or has seen it and left it, nothing is to be done; else
/// exactly one scan follows. So however many names can't be drained, hearing of them costs no scan each.
///
/// Asked to stop it begins nothing new; what is committed is still unlinked.
struct DrainMachine {
    /// The most entries of one transaction.
    static let batchSize = 100
    /// How soon it looks again where something failed, is unfinished or can't be heard.
    static let retrySeconds = 2
    /// The most further scans of `--once` for entries that are unfinished.
    static let onceRetries = 2

    private let once: Bool
    private let rescanSeconds: Int
    private(set) var state = State.idle
    private var isWatching = false
    private var isStopping = false
    private var retriesLeft = onceRetries
    /// When the last scan began: what has changed before that, it has seen.
    private(set) var lastScan = WallTime(milliseconds: .min)
    /// What can't be moved out of the spool: passed over while it is there.
    private(set) var stuck: Set<SpoolName> = []

    /// The rest of one scan's work.
    struct Pass: Equatable {
        var rest: ArraySlice<SpoolName>
        var leftOut: Int
        var settled = 0
        var unfinished = 0
    }

    /// A time to wait for, by the boot clock, so that no number of wakes puts it off.
    struct Wait: Equatable {
        enum Purpose {
            /// The next regular scan.
            case rescan
            /// Entries that somebody is at.
            case unfinished
            /// The next try of what failed; no wake shortens it, or a storm of them would spin.
            case pause
        }

        let purpose: Purpose
        let until: Duration
    }

    /// What it is at.
    enum State: Equatable {
        case idle
        case establishing(thenScan: DrainCause)
        case scanning
        case reading(Pass)
        case settingAside(Pass, thenInsert: [NewNotice])
        case inserting(Pass, [NewNotice])
        case unlinking(Pass)
        case triggering(Pass)
        case waiting(Wait)
        case ended
    }

    /// A drain that ends when the spool is empty (`once`), or one that looks at least every `rescanSeconds`.
    init(once: Bool, rescanSeconds: Int) {
        (self.once, self.rescanSeconds) = (once, rescanSeconds)
    }

    /// Somebody wants the program to end; the next answer takes it into account.
    mutating func stopRequested() { isStopping = true }

    /// Takes what has happened and gives what is to be done.
    ///
    /// - Parameter now: the boot clock.
    mutating func take(_ event: DrainEvent, now: Duration) -> DrainAction {
        let (next, action) = following(event, now)
        switch action {
        case .watch, .scan, .read, .setAside, .insert, .wait:
            if isStopping {
                state = .ended
                return .exit(ExitCode.ok)
            }
        case .unlink, .trigger, .exit: break
        }
        state = next
        return action
    }

    private mutating func following(_ event: DrainEvent, _ now: Duration) -> (State, DrainAction) {
        switch (state, event) {
        case (.idle, .started):
            return once ? scan(.start) : establish(thenScan: .start)
        case (.establishing(let cause), .watching(let isWatching)):
            self.isWatching = isWatching
            return scan(cause)
        case (.scanning, .scanned(let names, let leftOut, let isWatched, let start)):
            isWatching = isWatching && isWatched
            lastScan = start
            stuck.formIntersection(names)
            return next(Pass(rest: names.filter { !stuck.contains($0) }[...], leftOut: leftOut), now)
        case (.reading(var pass), .read(let notices, let damaged, let unfinished)):
            pass.unfinished += unfinished
            guard damaged.isEmpty else {
                return (.settingAside(pass, thenInsert: notices), .setAside(damaged))
            }
            return insert(notices, pass, now)
        case (.settingAside(var pass, let notices), .setAside(let settled, let stuck, let left)):
            pass.settled += settled
            pass.unfinished += left
            self.stuck.formUnion(stuck)
            return insert(notices, pass, now)
        case (.inserting(let pass, let notices), .inserted):
            // From here on the wakes are safe in the queue, and only from here on may their files go.
            return (.unlinking(pass), .unlink(notices.map { SpoolName(bytes: $0.spoolName) }))
        case (.unlinking(var pass), .unlinked(let count)):
            pass.settled += count
            return (.triggering(pass), .trigger)
        case (.triggering(let pass), .triggered):
            return next(pass, now)
        case (.scanning, .failed), (.inserting, .failed):
            if once { return (.ended, .exit(ExitCode.temporary)) }
            return wait(.pause, now)
        case (.scanning, .broken(let code)), (.inserting, .broken(let code)):
            return (.ended, .exit(code))
        case (.waiting(let wait), _):
            return waited(wait, event, now)
        default:
            // No event can come here but by a fault of this program; nothing is half done at an end.
            return (.ended, .exit(ExitCode.bug))
        }
    }

    private func waited(_ wait: Wait, _ event: DrainEvent, _ now: Duration) -> (State, DrainAction) {
        let isPause = wait.purpose == .pause
        switch event {
        case .gone:
            return establish(thenScan: .retry)
        case .appeared(let name, let changed?) where !isPause && !name.isTemporary && changed >= lastScan:
            return scan(.wake)
        case .overflowed where !isPause:
            return scan(.overflow)
        case .appeared, .overflowed, .interrupted:
            return now < wait.until ? again(wait, now) : timeIsUp(wait)
        case .timedOut:
            return timeIsUp(wait)
        default:
            return (.ended, .exit(ExitCode.bug))
        }
    }

    private func timeIsUp(_ wait: Wait) -> (State, DrainAction) {
        let cause: DrainCause = wait.purpose == .rescan ? .timeout : .retry
        return isWatching || once ? scan(cause) : establish(thenScan: cause)
    }

    private func establish(thenScan cause: DrainCause) -> (State, DrainAction) {
        (.establishing(thenScan: cause), .watch)
    }

    private func scan(_ cause: DrainCause) -> (State, DrainAction) { (.scanning, .scan(cause)) }

    /// The next batch of a pass, or what follows the last one.
    private mutating func next(_ pass: Pass, _ now: Duration) -> (State, DrainAction) {
        var pass = pass
        if !pass.rest.isEmpty {
            let batch = pass.rest.prefix(Self.batchSize)
            pass.rest = pass.rest.dropFirst(Self.batchSize)
            return (.reading(pass), .read(Array(batch)))
        }
        // Only after progress: what can't be settled must not keep the machine running.
        if pass.leftOut > 0 && pass.settled > 0 { return scan(.backlog) }
        if once {
            guard pass.unfinished > 0 && retriesLeft > 0 else { return (.ended, .exit(ExitCode.ok)) }
            retriesLeft -= 1
        }
        return wait(pass.unfinished > 0 ? .unfinished : .rescan, now)
    }

    private mutating func insert(_ notices: [NewNotice], _ pass: Pass, _ now: Duration) -> (
        State, DrainAction
    ) {
        notices.isEmpty ? next(pass, now) : (.inserting(pass, notices), .insert(notices))
    }

    private func wait(_ purpose: Wait.Purpose, _ now: Duration) -> (State, DrainAction) {
        let seconds =
            purpose == .rescan && isWatching ? rescanSeconds : min(rescanSeconds, Self.retrySeconds)
        return again(Wait(purpose: purpose, until: now + .seconds(seconds)), now)
    }

    private func again(_ wait: Wait, _ now: Duration) -> (State, DrainAction) {
        (.waiting(wait), .wait(seconds: max(1, Int((wait.until - now).inWholeSecondsUp))))
    }
}

extension Duration {
    /// The length in seconds, rounded up.
    fileprivate var inWholeSecondsUp: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds > 0 ? seconds + 1 : seconds
    }
}
