/// When the loop has to do what nobody tells it to.
struct Timetable {
    /// The kinds of such work.
    enum Task {
        case housekeeping
        case nextDelivery
        case report
    }

    static let housekeepingInterval: Duration = .seconds(10)
    static let reportInterval: Duration = .seconds(15)
    /// After a change the textfile is written soon, but not for every row of a burst.
    static let reportDelay: Duration = .seconds(1)

    /// Whether a notice may wait for its fan-out.
    var noticesMayWait = true
    /// When the next deferred delivery is due, in time since boot; nil: none is known.
    var nextDelivery: Duration?
    /// Whether housekeeping had more to do than one batch, and so goes on in the next turn.
    var houseNeedsMore = false
    /// Until when the queue is left alone because it was busy or full.
    var queueHoldOff: Duration?
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
        case .nextDelivery:
            guard let next = nextDelivery, now >= next else { return false }
            nextDelivery = nil
        case .report:
            guard now >= nextReport else { return false }
            nextReport = now + Self.reportInterval
        }
        return true
    }

    /// Something has changed that people wait for.
    mutating func reportNow() { nextReport = .zero }

    /// A number has changed that the next report should show soon.
    mutating func reportSoon(now: Duration) { nextReport = min(nextReport, now + Self.reportDelay) }
}
