internal import Posix
internal import Queue
internal import Reporting
internal import Resolution

/// From a notice that waits to its deliveries, by way of where its mail lies.
extension Dispatcher {
    /// Takes up notices that wait.
    private func takeUpNotices() throws(QueueError) {
        let (now, boot) = (clocks.wall(), clocks.boot())
        if !resolver.remembers { resolver.remember(try store.namedLately(limit: ResolutionMachine.memory)) }
        let waiting = try store.waiting(
            limit: Self.batch, perAccount: resolver.placesOfAccount, excluding: resolver.inHand)
        let agesCount = clockWatch.agesCount(boot: boot)
        for waiting in waiting {
            // Of stale mail only the newest rings, and the phone looks at the whole folder anyway.
            let isStale = agesCount && waiting.notice.at < staleBefore(now)
            resolver.take(waiting.notice, isLookedFor: waiting.mayRing && !isStale, now: boot)
        }
        timetable.noticesWereTakenUp(
            areMore: waiting.count == Self.batch, areHeldUp: store.accountsHeldUp > 0)
        tellOfHeldUp(store.accountsHeldUp)
    }

    /// Gives notices their deliveries, or their end where no device wants them; tells whether lanes wait for more
    /// of that.
    ///
    /// A notice in resolution is left aside, the others go on.
    func fanOutNotices() throws(QueueError) -> Bool {
        let boot = clocks.boot()
        let tookUp = timetable.noticesMayWait
        if tookUp {
            try takeUpNotices()
            if resolver.turn(now: boot) { timetable.reportNow() }
        }
        let ready = resolver.ready(limit: Self.batch)
        guard tookUp || !ready.isEmpty else { return false }
        let hasStale = try fanOut(ready)
        try nameLanes()
        if !ready.isEmpty {
            // More may be ready, and an account that had all its places taken has some again.
            timetable.noticesWereFannedOut(
                areMore: ready.count == Self.batch || store.placesAreTaken, now: boot)
        }
        return fanOutBacklog.holdsUpLanes(
            moreWait: timetable.noticesMayWait, hasStale: hasStale && clockWatch.agesCount(boot: boot),
            now: boot)
    }

    /// Commits where mails lie together with their deliveries; tells whether one of them was stale.
    private func fanOut(_ ready: [Resolver.Ready]) throws(QueueError) -> Bool {
        // One that was locked or full works again only once it can be written.
        guard !ready.isEmpty || timetable.queueHoldOff != nil else { return false }
        // Taken over with the commit: what was rolled back has used up nothing.
        var allowance = wakeAllowance
        var hasStale = false
        let (now, boot) = (clocks.wall(), clocks.boot())
        // Of a uid without UIDVALIDITY it isn't known for how long it names the mail, where that could be known.
        let guessed = Set(
            ready.filter { $0.isGuessed || $0.lacksUIDValidity && !resolver.services.isEmpty }
                .map(\.located.notice.id))
        _ = try store.fanOut(ready.map(\.located), now: now, excluding: allInHand) {
            hasStale = hasStale || $0.at < staleBefore(now)
            return fanOut.decide(
                $0, $1, &allowance, uidIsExact: !guessed.contains($0.id), now: now, boot: boot)
        }
        wakeAllowance = allowance
        resolver.fannedOut(ready.count)
        for ready in ready { metrics.count(ready) }
        return hasStale
    }

    /// Tells of accounts that have so many open deliveries that their further notices wait, once until there are none.
    private func tellOfHeldUp(_ accounts: Int) {
        if accounts > 0 && metrics.accountsHeldUp == 0 {
            log.warning(
                "some accounts have \(QueueStore.accountCeiling) open deliveries; their other notices wait")
        } else if accounts == 0 && metrics.accountsHeldUp > 0 {
            log.info("no account's notices wait for its open deliveries any more")
        }
        metrics.accountsHeldUp = accounts
    }
}
