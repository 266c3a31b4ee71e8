internal import Settings
internal import Glibc
internal import JSON
internal import Posix
internal import Queue

/// What `doorbell status` tells, put together from configuration, locks, queue and dispatch's own file.
struct Status: Equatable {
    /// Why nothing is sent; nil when push is on.
    let pushIsOffBecause: String?
    /// The process that holds the drain's lock, as it wrote its id; nil when none does.
    let drain: String?
    /// The same of dispatch.
    let dispatch: String?
    let lanes: LaneReport?
    /// What lies in the spool, or why that can't be told.
    let spool: Result<SpoolContents, SystemCallError>
    let counts: QueueCounts
    let now: WallTime

    /// How long the oldest wake has waited; zero when the clock went back.
    var oldestAge: Duration? {
        counts.oldest.map { oldest in
            let (age, overflow) = now.milliseconds.subtractingReportingOverflow(oldest.milliseconds)
            return .milliseconds(overflow ? 0 : max(0, age))
        }
    }
}

extension Status {
    /// Looks at the locks and the lanes' report in the queue's directory.
    init(
        configuration: Configuration, spool: Result<SpoolContents, SystemCallError>, counts: QueueCounts,
        now: WallTime
    ) throws(SystemCallError) {
        self.spool = spool
        pushIsOffBecause = configuration.pushIsDisabledBecause
        drain = try LockFile.holder(path: configuration.queue.drainLock)
        dispatch = try LockFile.holder(path: configuration.queue.dispatchLock)
        lanes = try LaneReport.read(configuration.queue.laneStatus)
        self.counts = counts
        self.now = now
    }
}
