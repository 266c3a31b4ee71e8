internal import APNs
internal import Posix
internal import Queue
internal import Reporting
internal import Settings

/// What passes between the loop and the queue.
extension Dispatcher {
    /// Learns how the last run ended.
    func begin() throws(QueueError) {
        let now = clocks.wall()
        let end = try store.beginDispatch(now: now)
        poisonWatch = PoisonWatch(after: end, now: now)
        guard let end else { return }
        log.warning("the last run died; in case a delivery was the cause, each is noted before it is taken")
        for id in end.poisoned {
            log.error("a delivery failed, poison: each time it was taken dispatch died, apns-id \(id)")
        }
    }

    /// Of mail that landed before it the newest rings for all.
    func staleBefore(_ now: WallTime) -> WallTime {
        now.advanced(by: .zero - configuration.queue.maxAge)
    }

    /// Makes a lane for every way that a device may be reached, and forgets those by which none is any more.
    func nameLanes() throws(QueueError) {
        let names = Set(
            try store.lanes().compactMap { environment, topic in
                Environment(rawValue: environment).map { LaneName(environment: $0, topic: topic) }
            })
        for name in names where lanes[name] == nil { lanes[name] = Lane(name) }
        for lane in lanes.values where !names.contains(lane.name) && lane.inHand.isEmpty {
            closeConnections(of: lane, because: "no device needs it")
            lanes[lane.name] = nil
        }
    }

    /// Claims what is due on a lane.
    ///
    /// A claim lives in memory and writes nothing, except while dispatch may be dying of a delivery.
    func claim(for lane: Lane, limit: Int) throws(QueueError) -> [DueDelivery] {
        let now = clocks.wall()
        let due = try store.due(
            now: now, limit: limit,
            excluding: allInHand.union(poisonWatch?.heldBack(beside: lane.inHand.keys) ?? []),
            environment: lane.name.environment.rawValue, topic: lane.name.topic,
            staleBefore: staleBefore(now), oddIsRetry: lane.oddIsRetry, noting: poisonWatch?.doubted)
        lane.oddIsRetry.toggle()
        if due.count < limit {
            timetable.nothingIsDue(on: lane.name)
            try noteNextDelivery(after: now)
        }
        return due
    }

    private func noteNextDelivery(after now: WallTime) throws(QueueError) {
        guard let next = try store.nextDue(after: now) else { return }
        timetable.deliveryComes(
            at: clocks.boot() + .milliseconds(max(0, next.milliseconds - now.milliseconds)))
    }

    /// Commits a batch of settlements in one transaction; they stay for the next turn when the queue is busy.
    func settle() throws(QueueError) {
        let batch = unsettled.prefix(Self.batch)
        guard !batch.isEmpty else { return }
        let report = try store.settle(batch.map(\.settlement), now: clocks.wall(), inHand: allInHand)
        for (settled, outcome) in zip(batch, report.outcomes) {
            tell(settled, outcome)
            for lane in lanes.values { lane.inHand[settled.settlement.delivery] = nil }
            poisonWatch?.settled(settled.settlement.delivery)
        }
        unsettled.removeFirst(batch.count)
        for device in report.removed { tellOfRemoval(device) }
        for device in report.disabled {
            log.warning("device \(device): disabled until it registers again, Apple refused it three times")
        }
        timetable.deliveriesWereSettled(now: clocks.boot())
    }

    private func tell(_ settled: Unsettled, _ outcome: Settled) {
        switch outcome {
        case .done where settled.isAlarm:
            log.error("\(settled.news); the request was wrong, tell the authors")
        case .done: log.info(settled.news)
        case .deviceKept: log.info("\(settled.news); again, the device has registered since")
        case .someoneElseWasFaster: log.info("\(settled.news); not noted, somebody else was faster")
        }
    }

    private func tellOfRemoval(_ device: RemovedDevice) {
        log.warning("device \(device.id): removed, \(device.reason)")
        metrics.count(removedBecause: device.reason)
    }

    /// Ends what has outlived its time, and forgets what ended long ago.
    func keepHouse() throws(QueueError) {
        let now = clocks.wall()
        if poisonWatch?.isOn == true { poisonWatch?.looked(nextDue: try store.nextDue()) }
        let pulled = try store.pullForward(
            waitingBeyond: now.advanced(by: RetrySchedule.longestWait), now: now, limit: Self.batch,
            excluding: allInHand)
        if pulled > 0 { timetable.deliveriesMayBeDue() }
        timetable.houseWasKept(needsMore: pulled == Self.batch)
        guard clockWatch.agesCount(boot: clocks.boot()) else { return }
        let expired = try store.expire(now: now, limit: Self.batch, excluding: allInHand)
        let dropped =
            provider != nil
            ? 0
            : try store.dropUnsent(
                olderThan: staleBefore(now), reason: .pushOff, now: now, limit: Self.batch)
        let pruned = try store.prune(
            endedBefore: now.advanced(by: .zero - configuration.retention.push), limit: Self.batch)
        let surplus = try store.pruneSurplus(limit: Self.batch)
        let swept = try sweepDevices(now: now)
        timetable.houseWasKept(
            needsMore: max(pulled, expired, dropped, pruned, surplus, swept) == Self.batch)
        if expired + dropped > 0 {
            log.info("\(expired + dropped) wakes ended by age")
            timetable.deliveriesWereSettled(now: clocks.boot())
        }
    }

    /// Removes, once a week, devices that nothing has been heard of for long; gives how many.
    private func sweepDevices(now: WallTime) throws(QueueError) -> Int {
        // Who is sent nothing can't be seen.
        guard provider != nil else { return 0 }
        switch SweepRule.decide(sweptAt: try store.sweptAt(), now: now) {
        case .wait: return 0
        case .markOnly: try store.markSwept(at: now)
        case .sweep:
            let removed = try store.sweep(
                unseenSince: now.advanced(by: .zero - SweepRule.unseen),
                othersSince: now.advanced(by: .zero - SweepRule.interval), now: now, limit: Self.batch)
            for device in removed { tellOfRemoval(device) }
            guard removed.count < Self.batch else { return removed.count }
            try store.markSwept(at: now)
        }
        return 0
    }

    var allInHand: Set<Int64> { Set(lanes.values.flatMap(\.inHand.keys)) }
}
