internal import APNs
internal import Settings
internal import Posix
internal import Queue
internal import Reporting

/// The half that faces the queue.
extension Dispatcher {
    /// Gives notices their deliveries, or their end where no device wants them.
    func fanOutNotices() throws(QueueError) {
        guard timetable.noticesMayWait else { return }
        let (now, boot) = (clocks.wall(), clocks.boot())
        let decisions = try store.fanOut(limit: Self.batch, now: now, excluding: allInHand) {
            fanOut.decide($0, $1, &allowance, now: now, boot: boot)
        }
        timetable.noticesMayWait = decisions.count == Self.batch
        try nameLanes()
        guard !decisions.isEmpty else { return }
        deliveriesMayBeDue()
        timetable.reportSoon(now: clocks.boot())
    }

    /// Makes a lane for every way that a device may be reached.
    private func nameLanes() throws(QueueError) {
        for (environment, topic) in try store.lanes() {
            guard let environment = Environment(rawValue: environment) else { continue }
            let name = LaneName(environment: environment, topic: topic)
            if lanes[name] == nil { lanes[name] = Lane(name) }
        }
    }

    /// Claims what is due on a lane, as much as it can send now.
    ///
    /// A claim writes nothing: it lives in memory.
    func claim(for lane: Lane, room: Int) throws(QueueError) -> [DueDelivery] {
        let limit = min(room, Self.batch)
        let now = clocks.wall()
        let due = try store.due(
            now: now, limit: limit, excluding: allInHand,
            environment: lane.name.environment.rawValue, topic: lane.name.topic,
            staleBefore: now.advanced(by: .zero - configuration.queue.maxAge))
        if due.count < limit {
            lane.mayHaveDue = false
            try noteNextDelivery()
        }
        return due
    }

    private func noteNextDelivery() throws(QueueError) {
        let now = clocks.wall()
        guard let next = try store.nextDue(after: now) else { return }
        let wait = Duration.milliseconds(max(0, next.milliseconds - now.milliseconds))
        timetable.nextDelivery = min(timetable.nextDelivery ?? .seconds(Int64.max), clocks.boot() + wait)
    }

    /// Commits a batch of settlements in one transaction; they stay for the next turn when the queue is busy.
    func settle() throws(QueueError) {
        let batch = unsettled.prefix(Self.batch)
        guard !batch.isEmpty else { return }
        let report = try store.settle(batch.map(\.settlement), now: clocks.wall())
        for (settled, answer) in zip(batch, report.outcomes) {
            switch answer {
            case .done: log.info(settled.news)
            case .deviceKept: log.info("\(settled.news); again, the device has registered since")
            case .someoneElseWasFaster: log.info("\(settled.news); not noted, somebody else was faster")
            }
            for lane in lanes.values { lane.inHand[settled.settlement.delivery] = nil }
        }
        for device in report.removed { log.info("device \(device.id): removed, \(device.reason)") }
        for device in report.disabled { log.info("device \(device): disabled until it registers again") }
        unsettled.removeFirst(batch.count)
        deliveriesMayBeDue()
        timetable.reportSoon(now: clocks.boot())
    }

    /// Ends what has outlived its time, and forgets what ended long ago.
    func keepHouse() throws(QueueError) {
        let now = clocks.wall()
        try store.pullForward(waitingBeyond: now.advanced(by: RetrySchedule.longestWait), now: now)
        let expired = try store.expire(now: now, limit: Self.batch, excluding: allInHand)
        let dropped =
            provider != nil
            ? 0
            : try store.dropUnsent(
                olderThan: now.advanced(by: .zero - configuration.queue.maxAge), reason: .pushOff, now: now,
                limit: Self.batch)
        let pruned = try store.prune(
            endedBefore: now.advanced(by: .zero - configuration.retention.push), limit: Self.batch)
        timetable.houseNeedsMore = max(expired, dropped, pruned) == Self.batch
        if expired + dropped > 0 {
            log.info("\(expired + dropped) wakes ended by age")
            timetable.reportSoon(now: clocks.boot())
        }
    }

    private var allInHand: Set<Int64> { Set(lanes.values.flatMap(\.inHand.keys)) }
}
