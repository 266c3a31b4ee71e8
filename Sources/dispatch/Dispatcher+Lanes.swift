internal import APNs
internal import Settings
internal import Posix
internal import Queue
internal import Reporting

/// The half that faces Apple.
extension Dispatcher {
    /// Sends on a lane what is due and what it has room for.
    func serve(_ lane: Lane) throws(QueueError) {
        lane.retireConnectionIfNeeded()
        let now = clocks.boot()
        let inHand = lane.inHand.count
        guard lane.mayHaveDue, lane.machine.allowance(now: now, inHand: inHand) > inHand else { return }
        guard let connection = lane.connection else {
            // A connection is opened only for something to send.
            if try !claim(for: lane, room: 1).isEmpty { open(lane) }
            return
        }
        let room = lane.room(now: now)
        guard room > 0 else { return }
        let due = try claim(for: lane, room: room)
        do throws(APNsConnection.Failure) {
            for delivery in due { try submit(delivery, on: connection, lane) }
            try connection.flush()
        } catch {
            // What was claimed and not submitted is still due.
            lane.mayHaveDue = true
            take(connection.close(reason: error.reason), on: connection, lane)
        }
    }

    private func open(_ lane: Lane) {
        guard let provider, let endpoint = provider.endpoint(of: lane.name.environment) else { return }
        do throws(APNsConnection.Failure) {
            lane.connection = try APNsConnection(
                to: endpoint, context: provider.context, limits: ConnectionMachine.Limits(),
                now: clocks.boot())
        } catch {
            pause(lane, .connection, error.reason)
        }
    }

    private func submit(_ delivery: DueDelivery, on connection: APNsConnection, _ lane: Lane)
        throws(APNsConnection.Failure)
    {
        let otherInHand = lane.inHand.values.contains { $0.delivery.device?.id == delivery.device?.id }
        switch Submission.of(
            delivery, maxAge: configuration.queue.maxAge, otherInHand: otherInHand, now: clocks.wall())
        {
        case .end(let end, let reason, let successor):
            settle(delivery, Settlement(delivery, .ended(end, reason: reason, supersededBy: successor)))
        case .wait(let until, let reason):
            settle(delivery, Settlement(delivery, .deferred(until: until, charged: false, reason: reason)))
        case .send(let request):
            do {
                guard let token = try provider?.token(clocks, unkept: unkept) else { return }
                try connection.submit(
                    request, delivery: delivery.id, providerToken: token, now: clocks.boot())
            } catch {
                throw APNsConnection.Failure(error)
            }
        }
        lane.inHand[delivery.id] = Lane.InHand(delivery: delivery, requestedAt: clocks.wall())
    }

    private func unkept(_ error: SystemCallError) { log.warning("provider token not kept: \(error)") }

    /// Takes in what a connection tells.
    func take(_ events: [APNsConnection.Event], on connection: APNsConnection, _ lane: Lane) {
        for event in events {
            switch event {
            case .ended(let id, let answer): take(answer, of: id, on: connection, lane)
            case .closed(let closing):
                lane.forget(connection)
                if closing.isTrouble && !stop.isStopping {
                    pause(lane, .connection, closing.reason)
                } else {
                    log.info("lane \(lane.name): connection closed, \(closing.reason)")
                }
            }
        }
    }

    private func take(
        _ answer: Answer, of id: Int64, on connection: APNsConnection, _ lane: Lane
    ) {
        guard let inHand = lane.inHand[id] else { return }
        let now = clocks.wall()
        let settlement = Verdict.settlement(
            of: inHand.delivery, answer, requestedAt: inHand.requestedAt, now: now, jitter: clocks.jitter(),
            provider: provider?.identity ?? "", laneIsDoubted: lane.machine.isDoubted,
            laneIsPaused: lane.machine.pausedUntil != nil)
        settle(inHand.delivery, settlement)
        metrics.count(
            answer, settlement.outcome, topic: lane.name.topic,
            sinceArrival: now.since(inHand.delivery.notice.at))
        let disposition = answer.disposition
        if disposition.connection == .retired || answer == .missing(.notProcessed) {
            connection.machine.retire(now: clocks.boot())
        }
        if disposition.lane == .paused || disposition.providerToken == .refused {
            pause(lane, .refused, "\(answer.response?.status ?? 0) \(answer.summary)")
        }
        if disposition.delivery == .sent, lane.machine.accepted() {
            lane.pausedSince = nil
            log.info("lane \(lane.name): sending again")
            timetable.reportNow()
        }
    }

    private func settle(_ delivery: DueDelivery, _ settlement: Settlement) {
        let news = "\(delivery.title): \(settlement.outcome.title), apns-id \(delivery.apnsID)"
        unsettled.append(Unsettled(settlement: settlement, news: news))
    }

    private func pause(_ lane: Lane, _ trouble: LaneMachine.Trouble, _ reason: String) {
        guard lane.machine.troubled(by: trouble, reason: reason, now: clocks.boot(), jitter: clocks.jitter())
        else { return }
        lane.pausedSince = lane.pausedSince ?? clocks.wall()
        log.error("lane \(lane.name): paused, \(reason)")
        timetable.reportNow()
    }

    /// What has been read anew.
    struct Renewal {
        let configuration: Configuration
        let provider: Provider?
    }

    /// Goes on with a configuration and key that have been read anew.
    func adopt(_ renewal: Renewal) {
        configuration = renewal.configuration
        fanOut.expiration = configuration.queue.expiration
        provider = renewal.provider
        if let why = configuration.pushIsDisabledBecause { log.info("push is off: \(why)") }
        for lane in lanes.values {
            lane.connection?.isUnwanted = true
            lane.connection?.machine.retire(now: clocks.boot())
            lane.retireConnectionIfNeeded()
            lane.machine = LaneMachine()
            lane.pausedSince = nil
        }
        queueMayHaveChanged()
    }
}

extension DueDelivery {
    /// How a log line names it: by ids only.
    fileprivate var title: String { "delivery \(id) of notice \(notice.id) to device \(device?.id ?? 0)" }
}

extension Outcome {
    /// How a log line tells it.
    fileprivate var title: String {
        switch self {
        case .ended(let end, let reason, _): "\(end.rawValue), \(reason)"
        case .deferred(_, _, let reason): "deferred, \(reason)"
        }
    }
}
