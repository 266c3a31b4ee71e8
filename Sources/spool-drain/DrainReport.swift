internal import Settings
internal import Posix
internal import Queue
internal import Reporting
internal import Spool
internal import SpoolDirectories

/// Turns what the loop does into counters and into few log lines.
struct DrainReport {
    private let log: Log
    private let spool: String
    private let trusted: Set<UInt32>
    private let textfile: Textfile?
    private var metrics: DrainMetrics
    private var scanStart: Duration?
    private var hasHeard = false
    private var waiting = 0
    private var moved = 0
    private var evicted = 0
    private var removed = 0
    private var stuck = 0
    /// Owners of whom it was told that entries of theirs are held back.
    private var toldFull: Set<UInt32> = []
    private var troubles = ToldTroubles()

    init(_ configuration: Configuration, log: Log, startedAt start: WallTime) {
        self.log = log
        spool = configuration.spool.directory
        trusted = Set(configuration.spool.trustedUIDs)
        textfile = configuration.metrics.directory.map { Textfile(directory: $0, name: DrainMetrics.name) }
        metrics = DrainMetrics(startedAt: start)
    }

    /// Landlock keeps the program to its files.
    mutating func isConfined() { metrics.isConfined[] = 1 }

    /// Only the modes of files do.
    mutating func isNotConfined(_ error: SystemCallError) {
        log.warning("goes on without Landlock, which takes Linux 5.19: \(error)")
    }

    /// More happened in the spool than the kernel keeps.
    mutating func overflowed() {
        metrics.overflows[] += 1
        trouble(
            "more came at once than the kernel keeps, all is looked through; raise fs.inotify.max_queued_events",
            .other
        )
    }

    /// The watched directory isn't where it was.
    mutating func lostWatch() {
        trouble("\(spool)/new was moved, removed or unmounted; what is there now is watched", .moved)
    }

    /// Whether the spool can be heard, and why not.
    mutating func listens(_ isListening: Bool, _ error: SystemCallError? = nil) {
        metrics.isWatching[] = isListening ? 1 : 0
        guard let error else { return }
        // The two limits of inotify(7), in words that name what to raise.
        let cure =
            switch error.errno {
            case .tooManyOpenFiles: "; raise fs.inotify.max_user_instances"
            case .noSpace: "; raise fs.inotify.max_user_watches"
            default: ""
            }
        trouble("\(error)\(cure); until then looking every \(DrainMachine.retrySeconds) s", .other)
    }

    /// A scan begins; the one before, if it went over into this one, has ended.
    mutating func scanStarted(_ cause: DrainCause, at now: Duration) {
        observeScan(at: now)
        metrics.scans[cause.rawValue] += 1
        scanStart = now
    }

    /// What the scan found.
    mutating func scanned(_ entries: Int, staleTemporaries: Int) {
        waiting = entries
        metrics.staleTemporaries[] += Double(staleTemporaries)
    }

    /// So many entries that were heard of are read without a scan.
    mutating func heard(_ entries: Int) {
        hasHeard = true
        waiting += entries
    }

    /// Entries that can't be used have been dealt with.
    mutating func setAside(_ entries: [DamagedEntry], _ result: SpoolDirectory.SetAside) {
        for (entry, fate) in zip(entries, result.fates) where fate != .left && fate != .vanished {
            metrics.corrupt[entry.damage.rawValue] += 1
        }
        metrics.evicted[] += Double(result.evicted)
        evicted += result.evicted
        moved += result.count(.moved)
        removed += result.count(.removed)
        waiting -= result.count(.moved) + result.count(.removed) + result.count(.vanished)
        if let error = result.trouble { trouble(error) }
    }

    /// Entries have become notices; those that were notices already don't count again.
    mutating func inserted(_ notices: [NewNotice]) {
        for notice in notices {
            metrics.notices[trusted.contains(notice.ownerUID) ? "trusted" : "hook"] += 1
            if let reason = notice.quietBecause { metrics.quiet[reason.rawValue] += 1 }
        }
    }

    /// Entries stay in the spool, because their accounts have as many wakes waiting as they may; `accounts` are known
    /// to be so.
    ///
    /// Told once of each owner, until there is room for all.
    mutating func heldBack(_ notices: [NewNotice], accounts: Int) {
        metrics.full[] = Double(accounts)
        for notice in notices
        where toldFull.count < ToldTroubles.maximum && toldFull.insert(notice.ownerUID).inserted {
            log.warning(
                "entries of uid \(notice.ownerUID) stay in \(spool)/new for now: their account has "
                    + "\(QueueStore.accountCeiling) wakes waiting; see doorbell status")
        }
    }

    /// Entries are gone from the spool.
    mutating func unlinked(_ entries: Int) { waiting -= entries }

    /// Something failed that is tried again.
    mutating func trouble(_ text: String, _ kind: Trouble) {
        guard troubles.isNews(text) else { return }
        metrics.troubles[kind.rawValue] += 1
        log.warning(text)
    }

    /// A call failed that is made again.
    mutating func trouble(_ error: SystemCallError) { trouble("\(error)", Trouble(error.errno)) }

    /// The spool can't be scanned now.
    mutating func trouble(_ fault: SpoolFault) {
        switch fault {
        case .missing: trouble("\(fault)", .missing)
        case .unsafe, .exposed: trouble("\(fault)", .permission)
        case .system(let error): trouble(error)
        }
    }

    /// A directory isn't the one that this program may use.
    mutating func replaced(_ path: String) {
        metrics.troubles[Trouble.moved.rawValue] += 1
        log.error("\(path) isn't what it was when this program started; ended, to be started again")
    }

    /// The queue failed in a way that passes, or that ends the program.
    mutating func trouble(_ error: QueueError) {
        guard error.isFatal else { return trouble("\(error)", error.trouble) }
        metrics.troubles[error.trouble.rawValue] += 1
        log.error("\(error)")
    }

    /// Everything that the last scan found is dealt with as far as it can be; so many entries only root can remove.
    mutating func scanEnded(at instant: Duration, now: WallTime, stuck: Int, isHoldingBack: Bool) {
        guard scanStart != nil || hasHeard else { return }
        hasHeard = false
        observeScan(at: instant)
        metrics.waiting[] = Double(waiting)
        if moved > 0 {
            let entries = counted(moved, "entry", "entries")
            let surplus = evicted > 0 ? ", which is full: \(evicted) removed from it" : ""
            log.warning(
                "\(entries) moved to \(spool)/corrupt\(surplus); see doorbell spool corrupt list")
        }
        if removed > 0 {
            let directories = counted(removed, "empty directory", "empty directories")
            log.warning("\(directories) removed from \(spool)/new")
        }
        // Told when the number first rises: strangers could fill the log with every further one.
        if stuck > 0 && self.stuck == 0 {
            log.warning("\(counted(stuck, "entry", "entries")) in \(spool)/new only root can remove")
        }
        if !isHoldingBack && !toldFull.isEmpty {
            log.info("no entry waits for room in the queue any more")
            toldFull = []
        }
        if !isHoldingBack { metrics.full[] = 0 }
        (moved, evicted, removed, self.stuck) = (0, 0, 0, stuck)
        write(at: now)
        if troubles.scanEnded() { log.info("works again") }
    }

    /// The program ends.
    mutating func ended(at now: WallTime, stuck: Int, isHoldingBack: Bool) {
        scanEnded(at: BootClock.now, now: now, stuck: stuck, isHoldingBack: isHoldingBack)
        metrics.isWatching[] = 0
        write(at: now)
    }

    private mutating func observeScan(at now: Duration) {
        if let scanStart { metrics.scanDuration.observe((now - scanStart).inSeconds) }
        scanStart = nil
    }

    private mutating func write(at now: WallTime) {
        do throws(SystemCallError) {
            try textfile?.write(metrics.text(at: now))
        } catch {
            trouble("\(error); the counters are not written", Trouble(error.errno))
        }
    }
}

private func counted(_ number: Int, _ one: String, _ more: String) -> String {
    "\(number) \(number == 1 ? one : more)"
}
