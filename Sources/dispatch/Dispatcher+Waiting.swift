internal import APNs
internal import Posix

/// What the loop waits for, and until when.
extension Dispatcher {
    /// Waits for the first thing that needs a turn; tells whether the trigger was pulled.
    func wait(_ signals: CInt, _ trigger: CInt) throws(SystemCallError) -> Bool {
        var poller = Poller()
        _ = poller.add(signals)
        let triggerPlace = poller.add(trigger)
        let served = sortedLanes.flatMap { lane in lane.connections.map { (lane, $0) } }
        for (_, connection) in served { connection.watch(with: &poller) }
        resolver.watch(with: &poller)
        let now = clocks.boot()
        try clocks.wait(&poller, timetable.nextTurn(outlook, now: now) - now)
        for (lane, connection) in served {
            take(connection.service(poller, now: clocks.boot()), on: connection, lane)
        }
        resolver.service(poller, now: clocks.boot())
        return poller.isReadable(triggerPlace)
    }

    /// How things stand, for the timetable.
    var outlook: Timetable.Outlook {
        let now = clocks.boot()
        let lanes = sortedLanes
        return Timetable.Outlook(
            sends: resolves, pushIsOn: provider != nil, hasUnsettled: !unsettled.isEmpty, inHand: inHand,
            isResolving: !resolver.isEmpty,
            lanes: lanes.map { lane in
                Timetable.LaneOutlook(
                    name: lane.name, hasRoom: min(lane.allowance(now: now), lane.freeStreams) > 0,
                    isPaused: lane.machine.pausedUntil != nil, isInTrouble: lane.machine.reason != nil)
            },
            deadlines: lanes.flatMap(\.connections).compactMap(\.nextTimer)
                // A pause that is over needs a turn only where something is due, and then `serve` ends it.
                + lanes.compactMap(\.machine.pausedUntil).filter { $0 > now }
                + lanes.map(\.openings.next).filter { $0 > now }
                + [stop.deadline, resolves ? resolver.nextTurn : nil].compactMap { $0 })
    }
}
