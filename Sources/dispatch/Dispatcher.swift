internal import APNs
internal import Posix
internal import Queue
internal import Reporting
internal import Settings

/// The loop that takes deliveries from the queue to APNs and settles them.
///
/// One turn: hear signals and hints, settle what was answered, look for new notices' mails, fan out those that are
/// ready, claim and submit what is due, wait. Every decision lies in the values it asks: `Timetable`,
/// `ResolutionMachine`, `FanOut`, `FanOutBacklog`, `Submission`, `Verdict`, `LaneMachine`, `ConnectionDemand`,
/// `OpeningAllowance`, `ConnectionMachine`, `PoisonWatch`, `StopMachine`. Nothing blocks but the queue, and that for its
/// short busy time-out only.
///
/// What is in hand lives in memory alone: a delivery that was submitted when the process died is still queued.
final class Dispatcher {
    /// How much is done in one transaction, so that no turn is long.
    static let batch = 200

    var configuration: Configuration
    let store: QueueStore
    let clocks: Clocks
    let log: Log
    var fanOut: FanOut
    var wakeAllowance = WakeAllowance()
    var fanOutBacklog = FanOutBacklog()
    var resolver: Resolver
    var provider: Provider?
    var lanes: [LaneName: Lane] = [:]
    var stop = StopMachine()
    /// Committed once a turn, kept when the queue is busy: a 200 is never forgotten.
    var unsettled: [Unsettled] = []
    var metrics: DispatchMetrics
    var clockSkew = ClockSkew()
    var clockWatch = ClockWatch()
    /// Nil until the queue knows that this run has begun.
    var poisonWatch: PoisonWatch?
    var timetable: Timetable
    /// What keeps dispatch from the configuration that it was told to read; nil: it goes by the last one.
    var refusal: Refusal?
    /// The last trouble with publishing that the log was told.
    var toldTrouble: String?
    /// Whether the log was told that the queue's own log is long.
    var toldLongLog = false
    private var lastDataVersion: Int64?

    /// A settlement before its commit, with the line that the log has after it.
    struct Unsettled {
        let settlement: Settlement
        let news: String
        /// Whether a person has to look at it: Apple says that the request itself was wrong.
        let isAlarm: Bool
    }

    /// Puts the loop together; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - provider: nil when push is off: everything runs and nothing is sent.
    ///   - dovecot: whom to ask for uids; nil: nobody.
    init(
        configuration: Configuration, store: QueueStore, provider: Provider?, dovecot: Dovecot?,
        fanOut: FanOut, clocks: Clocks, log: Log
    ) {
        self.configuration = configuration
        self.store = store
        self.provider = provider
        self.fanOut = fanOut
        self.clocks = clocks
        self.log = log
        resolver = Resolver(dovecot, clocks: clocks, log: log)
        metrics = DispatchMetrics(startedAt: clocks.wall())
        timetable = Timetable(now: clocks.boot())
    }

    /// All lanes in a fixed order.
    var sortedLanes: [Lane] { lanes.values.sorted { $0.name < $1.name } }

    /// Everything claimed and not yet settled.
    var inHand: Int { lanes.values.reduce(0) { $0 + $1.inHand.count } }

    /// Runs until a signal ends it, or with `once` until nothing is due and nothing in hand.
    ///
    /// - Returns: whether everything that was due has been dealt with; false when a lane was paused.
    func run(
        signals: borrowing SignalDescriptor, trigger: borrowing TriggerFIFO, once: Bool,
        reload: () throws -> Renewal
    ) throws -> Bool {
        while true {
            while let signal = signals.next() {
                switch signal {
                case .stop: stop.stopRequested(now: clocks.boot())
                case .reload: renew(by: reload)
                }
            }
            try turn()
            if stop.shouldEnd(inHand: inHand, now: clocks.boot()) || once && timetable.isDone(outlook) {
                break
            }
            if try wait(signals.rawValue, trigger.rawValue) {
                trigger.empty()
                timetable.queueMayHaveChanged()
            }
        }
        try end()
        return !timetable.isKeptBack(outlook)
    }

    /// Closes the connections and commits what is known.
    private func end() throws(QueueError) {
        for lane in sortedLanes { closeConnections(of: lane, because: "stopping") }
        resolver.close()
        do throws(QueueError) {
            while !unsettled.isEmpty { try settle() }
            if poisonWatch != nil { try store.endDispatch() }
        } catch {
            // After a failed flush nothing is written any more, so such an end counts as a death.
            guard !error.isFatal else { throw error }
            let lost =
                unsettled.isEmpty
                ? "this end not noted" : "\(unsettled.count) answers not noted, these wakes are sent again"
            log.error("\(lost): \(error)")
        }
        report()
    }

    /// One turn without waiting.
    ///
    /// A queue that is busy or has no space is left alone for a moment: nothing is lost, and what is in hand stays
    /// in hand until its settlement is committed.
    func turn() throws(QueueError) {
        let now = clocks.boot()
        watchClock()
        if resolves, resolver.turn(now: now) { timetable.reportNow() }
        do throws(QueueError) {
            if timetable.mayUseQueue(now: now) {
                try workOnQueue(now: now)
                if timetable.queueWorked() { log.info("queue: works again") }
            }
        } catch {
            let isNew = timetable.queueFailed(now: now)
            if isNew || error.isFatal { metrics.count(error.trouble) }
            guard !error.isFatal else {
                report()
                throw error
            }
            if isNew { log.warning("\(error)") }
        }
        if timetable.isDue(.report, now: now) { report() }
    }

    private func watchClock() {
        guard let jump = clockWatch.looked(wall: clocks.wall(), boot: clocks.boot()) else { return }
        let minutes = ClockWatch.suspension.components.seconds / 60
        log.warning(
            "the wall clock was set by \(jump.components.seconds) s: for \(minutes) minutes nothing ends by its age"
        )
    }

    /// Whether notices go on; else they are simply undecided.
    var resolves: Bool { !stop.isStopping && provider != nil }

    private func workOnQueue(now: Duration) throws(QueueError) {
        if poisonWatch == nil { try begin() }
        try settle()
        if try queueHasChanged() { timetable.queueMayHaveChanged() }
        if timetable.isDue(.housekeeping, now: now) { try keepHouse() }
        timetable.clockMoved(to: now)
        guard resolves else { return }
        if try !fanOutNotices() {
            for lane in sortedLanes { try serve(lane) }
        }
        try settle()
    }

    /// Whether somebody else has committed to the queue since the last look.
    private func queueHasChanged() throws(QueueError) -> Bool {
        let version = try store.dataVersion()
        defer { lastDataVersion = version }
        return version != lastDataVersion
    }
}
