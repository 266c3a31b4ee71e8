internal import APNs
internal import Posix
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

    /// Why the old settings stay, and since when.
    struct Refusal {
        let since: WallTime
        let reason: String
    }

    /// Reads the configuration anew; one that was left half edited changes nothing.
    func renew(by reload: () throws -> Renewal) {
        do {
            adopt(try reload())
            refusal = nil
            log.info("configuration read again")
        } catch {
            refusal = Refusal(since: clocks.wall(), reason: "\(error)")
            log.error("configuration not read again, the old one stays: \(error)")
        }
        timetable.reportNow()
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
    }
}
