internal import Posix
internal import Reporting
internal import Resolution

/// What people are told of the servers that are asked.
extension Resolver {
    /// That a server isn't asked for now.
    struct Pause {
        let since: WallTime
        let reason: String
    }

    /// That a server doesn't let us in, or not to some accounts.
    struct Refused {
        let since: WallTime
        let refusal: Refusal
    }

    /// A refused login, for counting.
    struct RefusedLogin: Hashable {
        /// Whose fault it is: that of the secret by which we ask, or an account's.
        enum Fault: String, CaseIterable {
            case secret, account
        }

        let service: Service
        let fault: Fault
    }

    /// Since when a server doesn't let us in, and why.
    func refused(by service: Service) -> Pause? {
        guard let refused = refusals[service], let dovecot else { return nil }
        return Pause(since: refused.since, reason: dovecot.text(of: refused.refusal, by: service))
    }

    /// Logs what has begun and what is over; tells whether anything has changed that people are shown.
    func watchServers() -> Bool {
        var hasChanged = false
        for service in services {
            if machine.refusal(service) != refusals[service]?.refusal {
                hasChanged = true
                watchRefusal(service)
            }
            if machine.isPaused(service) != (pauses[service] != nil) {
                hasChanged = true
                watchPause(service)
            }
        }
        return hasChanged
    }

    private func watchPause(_ service: Service) {
        if machine.isPaused(service) {
            let reason = reasons[service] ?? "no answer"
            pauses[service] = Pause(since: clocks.wall(), reason: reason)
            let place = address(of: service).map { "\($0): " } ?? ""
            log.error("\(service.rawValue) isn't asked for uids for a while: \(place)\(reason)")
        } else {
            pauses[service] = nil
            log.info("\(service.rawValue) is asked for uids again")
        }
    }

    /// One account more or less is shown, and not logged.
    private func watchRefusal(_ service: Service) {
        let (before, now) = (refusals[service], machine.refusal(service))
        refusals[service] = now.map { Refused(since: before?.since ?? clocks.wall(), refusal: $0) }
        guard (before?.refusal == .secret) != (now == .secret) || (before == nil) != (now == nil) else {
            return
        }
        if let refused = refused(by: service) {
            log.warning("\(service.rawValue): login refused: \(refused.reason); such wakes go without a uid")
        } else {
            log.info("\(service.rawValue): login refused no more")
        }
    }
}
