internal import APNs
internal import Posix
internal import Queue
internal import Reporting

/// What comes in: answers, and the ends of connections.
extension Dispatcher {
    /// Takes in what a connection tells.
    func take(_ events: [APNsConnection.Event], on connection: APNsConnection, _ lane: Lane) {
        for event in events {
            switch event {
            case .ended(let id, let answer): take(answer, of: id, on: connection, lane)
            case .retiredUseless(let reason):
                // One more try at once: a server that is being restarted does this too.
                if !lane.machine.mayReplaceConnection(now: clocks.boot()) { connectionFailed(lane, reason) }
            case .closed(let closing):
                lane.connections.removeAll { $0 === connection }
                if Disposition.pausesLane(goAwayReason: closing.goAwayReason) {
                    pause(lane, .refused, closing.reason)
                } else if closing.isTrouble && !stop.isStopping {
                    connectionFailed(lane, closing.reason)
                } else {
                    log.info("lane \(lane.name): connection closed, \(closing.reason)")
                }
            }
        }
    }

    private func take(_ answer: Answer, of id: Int64, on connection: APNsConnection, _ lane: Lane) {
        guard let inHand = lane.inHand[id], let request = inHand.request else { return }
        let now = clocks.wall()
        let disposition = answer.disposition
        // A key that has been replaced since says nothing of the lane as it is now.
        let isOfThisKey = request.provider === provider
        // Before the verdict: the answer that shows the lane to be at fault blames nobody any more.
        if isOfThisKey { heed(disposition.lane, answer, device: inHand.delivery.device?.id ?? 0, lane) }
        let settlement = Verdict.settlement(
            of: inHand.delivery, answer, requestedAt: request.submittedAt, now: now, jitter: clocks.jitter(),
            provider: request.provider.identity, laneIsDoubted: lane.machine.isDoubted,
            laneIsPaused: lane.machine.reason != nil,
            acceptance: request.provider.standIn(for: lane.name.environment) == nil ? .byService : .byStandIn)
        settle(inHand.delivery, settlement, isAlarm: disposition.isOurFault)
        metrics.count(
            answer, settlement.outcome, topic: lane.name.topic,
            sinceArrival: now.since(inHand.delivery.notice.at))
        if let response = answer.response { compareClocks(response, request.submittedAt, now) }
        guard isOfThisKey else { return }
        heed(disposition.connection, answer, connection, lane)
        if disposition.providerToken == .refused { replaceToken(of: request, answer, lane) }
        if disposition.delivery == .sent, lane.machine.accepted() {
            lane.pausedSince = nil
            log.info("lane \(lane.name): sending again")
            timetable.reportNow()
        }
    }

    private func heed(
        _ action: Disposition.ConnectionAction, _ answer: Answer, _ connection: APNsConnection, _ lane: Lane
    ) {
        let now = clocks.boot()
        switch action {
        case .none: return
        case .replaced where !lane.machine.mayReplaceConnection(now: now): return
        case .retired, .replaced:
            connection.farewell = connection.farewell ?? answer.title
            connection.machine.retire(now: now)
        }
    }

    private func heed(_ action: Disposition.LaneAction, _ answer: Answer, device: Int64, _ lane: Lane) {
        let (reason, now, jitter) = (answer.title, clocks.boot(), clocks.jitter())
        switch action {
        case .none: break
        case .paused: pause(lane, .refused, reason)
        case .strained:
            let retryAfter = answer.response?.retryDelay(wallSeconds: clocks.wall().seconds)
            note(
                lane.machine.strained(reason: reason, retryAfter: retryAfter, now: now, jitter: jitter),
                on: lane)
        case .doubted:
            note(lane.machine.doubted(device: device, reason: reason, now: now, jitter: jitter), on: lane)
        }
    }

    /// Has a refused provider token replaced; where Apple's limits forbid that, the lane waits.
    private func replaceToken(of request: Lane.Request, _ answer: Answer, _ lane: Lane) {
        if request.provider.refused(request.providerToken, clocks) { return }
        let wait = request.provider.waitForNewToken(clocks)
        let reason = "\(answer.title), and no new one may be signed for \(wait.components.seconds) s"
        pause(lane, .refused, reason, atLeast: wait)
    }

    /// Apple judges a provider token by the true time, so a wrong clock here stops everything.
    private func compareClocks(_ response: NotificationResponse, _ requestedAt: WallTime, _ now: WallTime) {
        guard let answeredAt = response.answeredAt,
            let change = clockSkew.observed(
                answeredAt: answeredAt, requestedAt: requestedAt.seconds, receivedAt: now.seconds)
        else { return }
        log.warning("\(change)")
        timetable.reportNow()
    }
}
