internal import APNs
internal import Posix
internal import Queue
internal import Reporting
internal import Settings

/// What goes out: deliveries to lanes, requests to connections.
extension Dispatcher {
    /// Sends on a lane what is due, as far as it has room, and settles what needs no request.
    func serve(_ lane: Lane) throws(QueueError) {
        let now = clocks.boot()
        lane.machine.endPause(now: now, inHand: lane.inHand.count)
        let allowance = lane.allowance(now: now)
        var room = min(allowance, lane.freeStreams)
        // A connection is opened only for something to send.
        var opens = allowance > 0 && lane.opensConnection(now: now)
        var looked = 0
        // Again while nothing of what was claimed needed a stream: a backlog of stale wakes is over soon, even where
        // one request at a time may be open.
        while timetable.mayHaveDue(lane.name), room > 0 || opens, looked < Self.batch {
            let claimed = try claim(for: lane, limit: min(room > 0 ? room : allowance, Self.batch))
            looked += claimed.count
            var left: [Int64] = []
            for delivery in claimed {
                guard let request = requestOrSettlement(of: delivery, on: lane) else { continue }
                if room > 0, submit(request, for: delivery, on: lane) {
                    room -= 1
                } else {
                    room = min(room, lane.freeStreams)
                    if opens { open(lane) }
                    opens = false
                    timetable.deliveryIsLeft(on: lane.name)
                    left.append(delivery.id)
                }
            }
            if poisonWatch?.isOn == true { try store.putBack(left) }
        }
        lane.demand.served(
            isSaturated: timetable.mayHaveDue(lane.name) && lane.freeStreams == 0, by: lane.stock, now: now)
        for connection in lane.connections { flush(connection, of: lane) }
    }

    /// The request for a delivery, or nil where it is settled without one.
    private func requestOrSettlement(of delivery: DueDelivery, on lane: Lane) -> NotificationRequest? {
        let outcome: Outcome
        switch Submission.of(
            delivery, maxAge: configuration.queue.maxAge,
            agesCount: clockWatch.agesCount(boot: clocks.boot()),
            otherInHand: lane.hasInHand(another: delivery), now: clocks.wall())
        {
        case .send(let request): return request
        case .end(let end, let reason, let newer): outcome = .ended(end, reason: reason, supersededBy: newer)
        case .wait(let until, let reason): outcome = .deferred(until: until, charged: false, reason: reason)
        }
        lane.inHand[delivery.id] = Lane.InHand(delivery: delivery, request: nil)
        settle(delivery, Settlement(delivery, outcome), isAlarm: false)
        return nil
    }

    private func open(_ lane: Lane) {
        guard let provider, let endpoint = provider.endpoint(of: lane.name.environment) else { return }
        lane.openings.take(now: clocks.boot())
        do throws(APNsConnection.Failure) {
            lane.connections.append(
                try APNsConnection(
                    to: endpoint, context: provider.context, limits: ConnectionMachine.Limits(),
                    now: clocks.boot()))
            metrics.connectionsOpened += 1
        } catch {
            connectionFailed(lane, error.reason)
        }
    }

    /// Submits a request; false when the lane's connections took none.
    private func submit(_ request: NotificationRequest, for delivery: DueDelivery, on lane: Lane) -> Bool {
        guard let provider, let connection = lane.freeConnection else { return false }
        do {
            let token = try provider.token(clocks, unkept: unkept)
            try connection.submit(request, delivery: delivery.id, providerToken: token, now: clocks.boot())
            lane.inHand[delivery.id] = Lane.InHand(
                delivery: delivery,
                request: Lane.Request(submittedAt: clocks.wall(), provider: provider, providerToken: token))
            return true
        } catch {
            take(connection.close(reason: "\(error)"), on: connection, lane)
            return false
        }
    }

    private func unkept(_ error: SystemCallError) { log.warning("provider token not kept: \(error)") }

    private func flush(_ connection: APNsConnection, of lane: Lane) {
        do throws(APNsConnection.Failure) {
            try connection.flush()
        } catch {
            take(connection.close(reason: error.reason), on: connection, lane)
        }
    }

    /// Closes what a lane has open, through no fault of the connections.
    func closeConnections(of lane: Lane, because reason: String) {
        for connection in lane.connections {
            connection.isUnwanted = true
            take(connection.close(reason: reason), on: connection, lane)
        }
    }

    /// Keeps a settlement for the next commit.
    func settle(_ delivery: DueDelivery, _ settlement: Settlement, isAlarm: Bool) {
        let news = "\(delivery.title): \(settlement.outcome.title), apns-id \(delivery.apnsID)"
        unsettled.append(Unsettled(settlement: settlement, news: news, isAlarm: isAlarm))
    }

    /// Trouble of the lane itself.
    ///
    /// - Parameter atLeast: how long there is surely no use in trying.
    func pause(
        _ lane: Lane, _ trouble: LaneMachine.Trouble, _ reason: String, atLeast: Duration? = nil
    ) {
        note(
            lane.machine.troubled(
                by: trouble, reason: reason, atLeast: atLeast, now: clocks.boot(), jitter: clocks.jitter()),
            on: lane)
    }

    /// A connection couldn't be had or was useless: trouble of the lane, unless another one does better.
    func connectionFailed(_ lane: Lane, _ reason: String) {
        guard lane.stock.sound > 0 else { return pause(lane, .connection, reason) }
        lane.demand.failed(now: clocks.boot())
        log.info("lane \(lane.name): a further connection was of no use, \(reason)")
    }

    /// Tells of a pause that has begun.
    func note(_ hasBegun: Bool, on lane: Lane) {
        guard hasBegun else { return }
        lane.pausedSince = lane.pausedSince ?? clocks.wall()
        log.error("lane \(lane.name): paused, \(lane.machine.reason ?? "")")
        timetable.reportNow()
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
        case .ended(let end, let reason, let newer):
            "\(end.rawValue), \(reason)" + (newer.map { " by delivery \($0)" } ?? "")
        case .deferred(_, charged: true, let reason): "deferred, \(reason)"
        case .deferred(_, charged: false, let reason): "stays due, \(reason)"
        }
    }
}
