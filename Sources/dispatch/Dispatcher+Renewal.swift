internal import APNs
internal import Reporting
internal import Settings

/// Going on with other settings.
extension Dispatcher {
    /// What has been read anew.
    struct Renewal {
        let configuration: Configuration
        let provider: Provider?
        let dovecot: Dovecot?
    }

    /// Goes on with a configuration and key that have been read anew.
    func adopt(_ renewal: Renewal) {
        configuration = renewal.configuration
        fanOut.expiration = configuration.queue.expiration
        provider = renewal.provider
        if let why = configuration.pushIsDisabledBecause { log.info("push is off: \(why)") }
        // What it held is undecided, and is taken up anew.
        resolver.close()
        resolver = Resolver(renewal.dovecot, clocks: clocks, log: log)
        for lane in lanes.values {
            lane.retireConnections(now: clocks.boot())
            if lane.machine.reason != nil {
                log.info("lane \(lane.name): tried at once, by what has been read anew")
            }
            lane.machine = LaneMachine()
            lane.pausedSince = nil
        }
        timetable.queueMayHaveChanged()
        timetable.reportNow()
    }
}
