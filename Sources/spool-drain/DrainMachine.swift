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
/// However large the spool is, listing it takes a fifth of the time at most: a pass goes on for four times as long as
/// its listing took, a minute at most, and only then the spool is listed again for whoever came meanwhile. So a
/// newcomer waits for one pass and one round: for five times a listing, and the first entry of each owner. Whoever is
/// heard of before the next listing may be is read alone, without one.
///
/// Entries of accounts that have no room in the queue are held back: they stay where they are, and are passed over
/// until there is room. Meanwhile whoever is heard of is read alone; after as many as a pass has at least a scan finds
/// who waits behind them.
///
/// Asked to stop it begins nothing new; what is committed is still unlinked.
struct DrainMachine {
    /// The most entries of one transaction.
    static let batchSize = 100
    /// The fewest entries of a pass, if there are as many.
    static let passSize = 512
    /// How many times as long as its listing a pass goes on.
    static let passPerListing = 4
    /// The longest pass, should a listing have taken long because the disk or the whole process stood still.
    static let longestPass: Duration = .seconds(60)
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
    /// The last name of each owner that is held back.
    private var heldBack: [UInt32: SpoolName] = [:]
    /// What the scan that is asked for passes over: each owner's names up to this one.
    private(set) var passed: [UInt32: SpoolName] = [:]
    /// The boot clock's time when the last scan was asked for, and from when on another one may be.
    private var scanAsked = Duration.zero
    private var restUntil = Duration.zero
    /// How many entries have been read alone since the last scan.
    private var sinceScan = 0
    /// When all is looked at again, held back or not.
    private var rescanDue = Duration.zero

    /// Whether entries wait in the spool for room in the queue.
    var isHoldingBack: Bool { !heldBack.isEmpty }

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
        case .watch, .scan, .read, .setAside, .insert, .askForRoom, .rest, .wait:
            if isStopping {
                state = .ended
                return .exit(.ok)
            }
        case .unlink, .trigger, .exit: break
        }
        state = next
        return action
    }

    private mutating func following(_ event: DrainEvent, _ now: Duration) -> (State, DrainAction) {
        switch (state, event) {
        case (.idle, .started):
            return once ? scan(.start, now) : establish(thenScan: .start)
        case (.establishing(let cause), .watching(let isWatching)):
            self.isWatching = isWatching
            return scanSoon(cause, now)
        case (.scanning, .scanned(let names, let round, let leftOut, let isWatched, let start)):
            isWatching = isWatching && isWatched
            lastScan = start
            sinceScan = 0
            stuck.formIntersection(names)
            restUntil = now + min((now - scanAsked) * Self.passPerListing, Self.longestPass)
            return next(
                Pass(
                    rest: names.filter { !stuck.contains($0) }[...], leftOut: leftOut,
                    atLeast: max(round, Self.passSize), until: restUntil), now)
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
        case (.inserting(var pass, let notices), .inserted(let heldBack)):
            pass.heldBack += heldBack.count
            // Of one that is read alone it isn't known that those before it have been looked at.
            for notice in heldBack where pass.resumes == nil {
                let name = SpoolName(bytes: notice.spoolName)
                self.heldBack[notice.ownerUID] = max(self.heldBack[notice.ownerUID] ?? name, name)
            }
            // From here on the wakes are safe in the queue, and only from here on may their files go.
            let stay = Set(heldBack.map(\.spoolName))
            let names = notices.map(\.spoolName).filter { !stay.contains($0) }.map(SpoolName.init)
            return names.isEmpty ? next(pass, now) : (.unlinking(pass), .unlink(names))
        case (.unlinking(var pass), .unlinked(let count)):
            pass.settled += count
            return (.triggering(pass), .trigger)
        case (.triggering(let pass), .triggered):
            return next(pass, now)
        case (.scanning, .failed), (.inserting, .failed):
            if once { return (.ended, .exit(.temporaryFailure)) }
            return wait(.pause, now)
        case (.asking(let wait), .room(let hasRoom)):
            return asked(wait, hasRoom, now)
        case (.resting(let cause), .rested):
            return scan(cause, now)
        case (.scanning, .broken(let code)), (.inserting, .broken(let code)), (.asking, .broken(let code)):
            return (.ended, .exit(code))
        case (.waiting(let wait), _):
            return waited(wait, event, now)
        default:
            // No event can come here but by a fault of this program; nothing is half done at an end.
            return (.ended, .exit(.software))
        }
    }

    private mutating func waited(_ wait: Wait, _ event: DrainEvent, _ now: Duration) -> (State, DrainAction) {
        let isPause = wait.purpose == .pause
        switch event {
        case .gone:
            return establish(thenScan: .retry)
        case .appeared(let name, let changed?) where !isPause && !name.isTemporary && changed >= lastScan:
            let isSpared = isHoldingBack && sinceScan < Self.passSize
            return isSpared || now < restUntil ? readAlone(name, wait) : scan(.wake, now)
        case .overflowed where !isPause:
            return scanSoon(.overflow, now)
        case .appeared, .overflowed, .interrupted:
            return now < wait.until ? again(wait, now) : timeIsUp(wait, now)
        case .timedOut:
            return timeIsUp(wait, now)
        default:
            return (.ended, .exit(.software))
        }
    }

    private mutating func readAlone(_ name: SpoolName, _ wait: Wait) -> (State, DrainAction) {
        sinceScan += 1
        return (.reading(Pass(rest: [], leftOut: 0, atLeast: 0, until: .zero, resumes: wait)), .read([name]))
    }

    private mutating func resume(_ wait: Wait, after pass: Pass, _ now: Duration) -> (State, DrainAction) {
        if pass.heldBack > 0 && !isHoldingBack { return scanSoon(.wake, now) }
        guard pass.unfinished == 0 else {
            let soon = now + .seconds(Self.retrySeconds)
            return again(Wait(purpose: .unfinished, until: min(soon, wait.until)), now)
        }
        return now < wait.until ? again(wait, now) : timeIsUp(wait, now)
    }

    private mutating func timeIsUp(_ wait: Wait, _ now: Duration) -> (State, DrainAction) {
        if isHoldingBack && wait.purpose != .pause { return (.asking(wait), .askForRoom) }
        return look(wait.purpose == .rescan ? .timeout : .retry, now)
    }

    private mutating func asked(_ wait: Wait, _ hasRoom: Bool, _ now: Duration) -> (State, DrainAction) {
        if hasRoom { return look(.room, now) }
        if now >= rescanDue { return look(.timeout, now) }
        return wait.purpose == .room && isWatching ? self.wait(.room, now) : look(.retry, now)
    }

    private mutating func look(_ cause: DrainCause, _ now: Duration) -> (State, DrainAction) {
        isWatching || once ? scanSoon(cause, now) : establish(thenScan: cause)
    }

    private func establish(thenScan cause: DrainCause) -> (State, DrainAction) {
        (.establishing(thenScan: cause), .watch)
    }

    private mutating func scanSoon(_ cause: DrainCause, _ now: Duration) -> (State, DrainAction) {
        now < restUntil ? (.resting(thenScan: cause), .rest(restUntil - now)) : scan(cause, now)
    }

    private mutating func scan(_ cause: DrainCause, _ now: Duration) -> (State, DrainAction) {
        // However busy others keep it, what is held back is looked at in time.
        let cause = isHoldingBack && now >= rescanDue ? .timeout : cause
        scanAsked = now
        if cause.looksAtAll { rescanDue = now + .seconds(rescanSeconds) }
        passed = cause.looksAtAll ? [:] : heldBack
        return (.scanning, .scan(cause))
    }

    /// The next batch of a pass, or what follows the last one.
    private mutating func next(_ pass: Pass, _ now: Duration) -> (State, DrainAction) {
        var pass = pass
        if !pass.rest.isEmpty && (pass.atLeast > 0 || now < pass.until) {
            pass.atLeast -= Self.batchSize
            let batch = pass.rest.prefix(Self.batchSize)
            pass.rest = pass.rest.dropFirst(Self.batchSize)
            return (.reading(pass), .read(Array(batch)))
        }
        if let wait = pass.resumes { return resume(wait, after: pass, now) }
        if passed.isEmpty && pass.heldBack == 0 { heldBack = [:] }
        // Only after progress: what can't be settled must not keep the machine running.
        if pass.leftOut + pass.rest.count > 0 && pass.settled + pass.heldBack > 0 {
            return scan(.backlog, now)
        }
        if once {
            guard pass.unfinished > 0 && retriesLeft > 0 else {
                return (.ended, .exit(isHoldingBack ? .temporaryFailure : .ok))
            }
            retriesLeft -= 1
        }
        return wait(pass.unfinished > 0 ? .unfinished : isHoldingBack ? .room : .rescan, now)
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
