/// What the loop knows it could do, and when it must turn again though nothing tells it to.
///
/// All readiness is here, so that no reason to work can be forgotten and none makes the loop spin.
struct Timetable {
    /// Work that comes round by the clock.
    enum Task {
        case housekeeping
        case report
    }

    /// How things stand beside what is kept here.
    struct Outlook {
        /// Whether deliveries are sent: push is on and no stop has begun.
        var sends: Bool
        /// Whether push is on at all.
        var pushIsOn: Bool
        /// Whether settlements wait for their commit.
        var hasUnsettled: Bool
        /// Everything claimed and not settled.
        var inHand: Int
        /// Whether a notice is held for its fan-out.
        var isResolving: Bool
        /// The lanes.
        var lanes: [LaneOutlook]
        /// When connections, pauses and a stop need a turn.
        var deadlines: [Duration]
    }

    /// How a lane stands.
    struct LaneOutlook {
        var name: LaneName
        /// Whether it could take a delivery now.
        var hasRoom: Bool
        var isPaused: Bool
        /// Whether it is or was paused, and Apple has taken nothing since.
        var isInTrouble: Bool
    }

    static let housekeepingInterval: Duration = .seconds(10)
    static let reportInterval: Duration = .seconds(15)
    /// After a change the textfile is written soon, but not for every row of a burst.
    static let reportDelay: Duration = .seconds(1)
    /// How often the queue is looked at without a hint, which also bounds how late anything else is.
    static let tick: Duration = .seconds(1)

    /// Whether a notice may wait for its fan-out.
    private(set) var noticesMayWait = true
    /// Whether notices wait for deliveries of their account to end.
    private var noticesAreHeldUp = false
    /// When to look for these again, as deliveries have ended since; nil: none have.
    private var heldUpLook: Duration?
    /// Whether housekeeping had more to do than one batch, and so goes on in the next turn.
    private var houseNeedsMore = false
    /// Until when the queue is left alone because it was busy or full; set until it works again.
    private(set) var queueHoldOff: Duration?
    /// Lanes of which the queue has said that nothing is due.
    private var emptyLanes: Set<LaneName> = []
    /// When the next deferred delivery is due, in time since boot; nil: none is known.
    private var nextDelivery: Duration?
    private var nextHousekeeping: Duration
    private var nextReport: Duration

    init(now: Duration) {
        nextHousekeeping = now
        nextReport = now
    }

    /// Whether a task is due; then its next time is set.
    mutating func isDue(_ task: Task, now: Duration) -> Bool {
        switch task {
        case .housekeeping:
            guard now >= nextHousekeeping || houseNeedsMore else { return false }
            nextHousekeeping = now + Self.housekeepingInterval
        case .report:
            guard now >= nextReport else { return false }
            nextReport = now + Self.reportInterval
        }
        return true
    }

    /// Housekeeping is done, or a batch of it.
    mutating func houseWasKept(needsMore: Bool) { houseNeedsMore = needsMore }

    /// Whether the queue may be worked on.
    func mayUseQueue(now: Duration) -> Bool { now >= queueHoldOff ?? now }

    /// The queue was busy or full, and is left alone for a moment; tells whether it had worked until then.
    mutating func queueFailed(now: Duration) -> Bool {
        defer { queueHoldOff = now + Self.tick }
        queueMayHaveChanged()
        return queueHoldOff == nil
    }

    /// Work on the queue was done; tells whether it had failed before.
    mutating func queueWorked() -> Bool {
        defer { queueHoldOff = nil }
        return queueHoldOff != nil
    }

    /// There may be new notices, and anything may be due.
    mutating func queueMayHaveChanged() {
        noticesMayWait = true
        deliveriesMayBeDue()
    }

    /// Notices were taken up.
    ///
    /// - Parameters:
    ///   - areMore: whether others may wait.
    ///   - areHeldUp: whether others wait for deliveries of their account to end.
    mutating func noticesWereTakenUp(areMore: Bool, areHeldUp: Bool) {
        (noticesMayWait, noticesAreHeldUp, heldUpLook) = (areMore, areHeldUp, nil)
    }

    /// Notices have their deliveries.
    ///
    /// - Parameter areMore: whether others are ready, or may be taken up in their place.
    mutating func noticesWereFannedOut(areMore: Bool, now: Duration) {
        if areMore { noticesMayWait = true }
        deliveriesMayBeDue()
        reportSoon(now: now)
    }

    /// Deliveries have ended, and some may be due again.
    mutating func deliveriesWereSettled(now: Duration) {
        // Not for each batch: it takes a count of all that such accounts have open.
        if noticesAreHeldUp { heldUpLook = heldUpLook ?? now + Self.tick }
        deliveriesMayBeDue()
        reportSoon(now: now)
    }

    /// Something may be due on every lane.
    mutating func deliveriesMayBeDue() { emptyLanes = [] }

    /// Something is left on a lane that the queue gave out last.
    mutating func deliveryIsLeft(on lane: LaneName) { emptyLanes.remove(lane) }

    /// The queue has given out all that is due on a lane.
    mutating func nothingIsDue(on lane: LaneName) { emptyLanes.insert(lane) }

    /// Whether it is worth asking the queue for deliveries of a lane.
    func mayHaveDue(_ lane: LaneName) -> Bool { !emptyLanes.contains(lane) }

    /// A delivery is going to be due.
    mutating func deliveryComes(at time: Duration) { nextDelivery = min(nextDelivery ?? time, time) }

    /// The time of a deferred delivery may have come, or that of notices that were held up.
    mutating func clockMoved(to now: Duration) {
        if let heldUpLook, now >= heldUpLook { noticesMayWait = true }
        guard let next = nextDelivery, now >= next else { return }
        nextDelivery = nil
        deliveriesMayBeDue()
    }

    /// Something has changed that people wait for.
    mutating func reportNow() { nextReport = .zero }

    /// A number has changed that the next report should show soon.
    private mutating func reportSoon(now: Duration) { nextReport = min(nextReport, now + Self.reportDelay) }

    /// When the loop must turn again at the latest.
    func nextTurn(_ outlook: Outlook, now: Duration) -> Duration {
        let work =
            if let queueHoldOff {
                queueHoldOff
            } else if hasMoreWork(outlook) {
                // One batch a turn: the rest goes on at once.
                now
            } else {
                min(now + Self.tick, nextDelivery ?? now + Self.tick)
            }
        return max(now, outlook.deadlines.min().map { min($0, work) } ?? work)
    }

    private func hasMoreWork(_ outlook: Outlook) -> Bool {
        if outlook.hasUnsettled || houseNeedsMore { return true }
        guard outlook.sends else { return false }
        return noticesMayWait || outlook.lanes.contains { $0.hasRoom && mayHaveDue($0.name) }
    }

    /// Whether everything that is due has been dealt with, as far as paused lanes let it be.
    func isDone(_ outlook: Outlook) -> Bool {
        guard outlook.inHand == 0, !outlook.hasUnsettled else { return false }
        // With push off nothing will be sent, whatever waits.
        guard outlook.pushIsOn else { return true }
        return !noticesMayWait && heldUpLook == nil && !outlook.isResolving
            && !outlook.lanes.contains { !$0.isPaused && mayHaveDue($0.name) }
    }

    /// Whether a lane's trouble keeps back what is due.
    func isKeptBack(_ outlook: Outlook) -> Bool {
        outlook.lanes.contains { $0.isInTrouble && mayHaveDue($0.name) }
    }
}
