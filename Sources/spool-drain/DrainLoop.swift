internal import Settings
internal import Posix
internal import Queue
internal import Reporting
internal import SpoolDirectories

/// Runs what the machine decides against spool, queue and clock; it decides nothing itself.
struct DrainLoop: ~Copyable {
    private let configuration: Configuration
    private let queue: QueueStore
    private var reader: EntryReader
    private var machine: DrainMachine
    private var report: DrainReport
    private var listener: SpoolListener
    private var ground: Ground
    private var full = FullAccounts()
    /// Open during a scan and what follows it, closed while waiting.
    private var spool: SpoolDirectory?

    /// Puts a drain together that ends when the spool is empty (`once`), or when it is asked to.
    init(configuration: Configuration, queue: QueueStore, log: Log, once: Bool) {
        self.configuration = configuration
        self.queue = queue
        reader = EntryReader(
            judge: EntryJudge(
                trusted: Set(configuration.spool.trustedUIDs), quiet: QuietRule(configuration.quiet)))
        machine = DrainMachine(once: once, rescanSeconds: Int(configuration.spool.rescan.components.seconds))
        report = DrainReport(configuration, log: log, startedAt: .now)
        listener = SpoolListener(path: configuration.spool.directory + "/new")
        ground = Ground(configuration)
    }

    /// Gives up all files but those it needs, for good: from here on it reads what strangers wrote.
    mutating func confine() {
        do throws(SystemCallError) {
            try ground.confine()
            report.isConfined()
        } catch {
            report.isNotConfined(error)
        }
    }

    /// Drains; gives the exit code.
    mutating func run() -> ExitCode {
        var event = DrainEvent.started
        while true {
            if StopSignals.hasCome { machine.stopRequested() }
            let action = machine.take(event, now: BootClock.now)
            if case .exit(let code) = action {
                report.ended(at: .now, stuck: machine.stuck.count, isHoldingBack: machine.isHoldingBack)
                return code
            }
            event = perform(action)
        }
    }

    private mutating func perform(_ action: DrainAction) -> DrainEvent {
        switch action {
        case .watch: return listen()
        case .scan(let cause): return scan(cause)
        case .read(let names): return read(names)
        case .setAside(let entries): return setAside(entries)
        case .insert(let notices): return insert(notices)
        case .unlink(let names): return unlink(names)
        case .trigger:
            TriggerFIFO.pull(path: configuration.queue.trigger)
            return .triggered
        case .askForRoom: return askForRoom()
        case .rest(let time):
            // A signal ends it too.
            var nothing = Poller()
            try? nothing.wait(timeout: time)
            return .rested
        case .wait(let seconds): return wait(seconds)
        case .exit: return .interrupted
        }
    }

    private mutating func listen() -> DrainEvent {
        do throws(SystemCallError) {
            try listener.listen()
            report.listens(true)
            return .watching(true)
        } catch {
            report.listens(false, error)
            return .watching(false)
        }
    }

    private mutating func scan(_ cause: DrainCause) -> DrainEvent {
        report.scanStarted(cause, at: BootClock.now)
        reader.startPass()
        let start = WallTime.ofFiles
        do throws(SpoolFault) {
            let spool = try SpoolDirectory(path: configuration.spool.directory)
            if let path = ground.replacedDirectory { return replaced(path) }
            self.spool = spool
            var listing = try spool.list(
                now: .now, beyond: machine.passed, since: machine.lastScan, isStopping: StopSignals.hasCome)
            let (round, names) = (listing.selection.round, listing.selection.inTurns())
            let (leftOut, heldBack) = (listing.selection.leftOut, listing.selection.heldBack)
            report.scanned(names.count + leftOut + heldBack, staleTemporaries: listing.staleTemporaries)
            return .scanned(
                names: names, round: round, leftOut: leftOut, isWatched: listener.hears(spool.new),
                start: start)
        } catch {
            // Another directory, or a file system that was mounted anew, which looks the same and isn't to Landlock.
            if ground.isConfined, case .system(let error) = error, error.errno == .permissionDenied {
                return replaced(configuration.spool.directory)
            }
            report.trouble(error)
            return .failed
        }
    }

    private mutating func replaced(_ path: String) -> DrainEvent {
        report.replaced(path)
        return .broken(exitCode: .temporaryFailure)
    }

    private mutating func read(_ names: [SpoolName]) -> DrainEvent {
        if spool == nil { openSpool(for: names) }
        guard let spool else { return .read(notices: [], damaged: [], unfinished: names.count) }
        let result = reader.read(names, in: spool, now: .now, isStopping: StopSignals.hasCome)
        if let trouble = result.trouble { report.trouble(trouble) }
        return .read(notices: result.notices, damaged: result.damaged, unfinished: result.unfinished)
    }

    /// Opens it for an entry that is read without a scan.
    private mutating func openSpool(for names: [SpoolName]) {
        reader.startPass()
        report.heard(names.count)
        do throws(SpoolFault) {
            let opened = try SpoolDirectory(path: configuration.spool.directory)
            // Another one is for the next scan to deal with.
            if ground.replacedDirectory == nil { spool = opened }
        } catch {
            report.trouble(error)
        }
    }

    private mutating func setAside(_ entries: [DamagedEntry]) -> DrainEvent {
        guard let spool else { return .failed }
        let result = spool.setAside(entries, now: .now)
        report.setAside(entries, result)
        let stuck = zip(entries, result.fates).filter { $1 == .stuck }.map(\.0.name)
        let left = result.count(.left)
        return .setAside(settled: entries.count - stuck.count - left, stuck: stuck, left: left)
    }

    private mutating func insert(_ notices: [NewNotice]) -> DrainEvent {
        do throws(QueueError) {
            let insertions = try queue.insert(notices, now: .now)
            report.inserted(zip(notices, insertions).filter { $1 == .new }.map(\.0))
            let heldBack = zip(notices, insertions).filter { $1 == .noRoom }.map(\.0)
            for notice in heldBack { full.add(notice.user) }
            report.heldBack(heldBack, accounts: full.users.count)
            return .inserted(heldBack: heldBack)
        } catch {
            return failed(error, .failed)
        }
    }

    private mutating func askForRoom() -> DrainEvent {
        do throws(QueueError) {
            let hasRoom = try queue.hasRoom(forAnyOf: full.users)
            // Those that still have none are found again.
            if hasRoom { full = FullAccounts() }
            return .room(hasRoom)
        } catch {
            return failed(error, .room(false))
        }
    }

    /// The event that a failure of the queue makes: the given one, unless only a new process gets over it.
    private mutating func failed(_ error: QueueError, _ event: DrainEvent) -> DrainEvent {
        report.trouble(error)
        return error.isFatal ? .broken(exitCode: error.exitCode) : event
    }

    private mutating func unlink(_ names: [SpoolName]) -> DrainEvent {
        guard let spool else { return .failed }
        let result = spool.unlink(names)
        if let trouble = result.trouble { report.trouble(trouble) }
        report.unlinked(result.gone)
        return .unlinked(result.gone)
    }

    private mutating func wait(_ seconds: Int) -> DrainEvent {
        spool = nil
        report.scanEnded(
            at: BootClock.now, now: .now, stuck: machine.stuck.count, isHoldingBack: machine.isHoldingBack)
        do throws(SystemCallError) {
            let event = try listener.next(timeoutSeconds: seconds, lastScan: machine.lastScan)
            if event == .overflowed { report.overflowed() }
            if event == .gone { report.lostWatch() }
            return event
        } catch {
            report.trouble(error)
            return .gone
        }
    }
}
