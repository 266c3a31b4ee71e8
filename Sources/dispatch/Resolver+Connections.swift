internal import Resolution

/// Which connection a question goes over, and what becomes of those that give no answer.
extension Resolver {
    /// Asks, on the account's connection or a new one.
    func put(_ ask: ResolutionMachine.Ask, now: Duration) {
        asked.insert(ask.service)
        do throws(Trouble) {
            switch ask.service {
            case .imap: try putToMailbox(ask, now: now)
            case .doveadm: try putToDoveadm(ask, now: now)
            }
        } catch {
            if ask.service == .imap { mailboxes[ask.account] = nil }
            failed(ask, error, now: now)
        }
    }

    private func putToMailbox(_ ask: ResolutionMachine.Ask, now: Duration) throws(Trouble) {
        guard let server = dovecot?.mailboxes else { return }
        if let connection = mailboxes[ask.account] { return try connection.put(ask, now: now) }
        if mailboxes.count >= Self.maximumConnections { closeOldest(now: now) }
        mailboxes[ask.account] = try MailboxConnection(ask, at: server, now: now)
    }

    /// Makes room: of those for which no notice waits the idle ones go first.
    private func closeOldest(now: Duration) {
        func age(_ connection: MailboxConnection) -> (Int, Duration) {
            (connection.isLate ? 1 : 0, connection.lastAsked)
        }
        let unneeded = mailboxes.filter { $0.value.ask == nil || $0.value.isLate }
        guard let oldest = unneeded.min(by: { age($0.value) < age($1.value) }) else { return }
        oldest.value.leave()
        mailboxes[oldest.key] = nil
        if let ask = oldest.value.ask { failed(ask, oldest.value.silence, now: now) }
    }

    private func putToDoveadm(_ ask: ResolutionMachine.Ask, now: Duration) throws(Trouble) {
        guard let server = dovecot?.doveadm else { return }
        if let connection = try DoveadmConnection(ask, at: server) {
            inquiries[ask.account] = connection
        } else {
            machine.answered(ask, .nothing, now: now)
        }
    }

    /// No notice waits for this any more: the connection does, or it ends.
    func abandon(_ ask: ResolutionMachine.Ask, now: Duration) {
        let trouble: Trouble?
        switch ask.service {
        case .imap:
            if let connection = mailboxes[ask.account], connection.waitOn(&machine, now: now) {
                reasons[.imap] = connection.silence.reason
                return
            }
            trouble = mailboxes.removeValue(forKey: ask.account)?.silence
        case .doveadm: trouble = inquiries.removeValue(forKey: ask.account)?.silence
        }
        if let trouble { failed(ask, trouble, now: now) }
    }

    /// A question will not be answered.
    func failed(_ ask: ResolutionMachine.Ask, _ trouble: Trouble, now: Duration) {
        machine.failed(ask, trouble.failure, now: now)
        reasons[ask.service] = trouble.reason
        if trouble.failure == .refused || trouble.failure == .lockedOut {
            let whose: RefusedLogin.Fault = machine.refusal(ask.service) == .secret ? .secret : .account
            refusedLogins[RefusedLogin(service: ask.service, fault: whose), default: 0] += 1
        }
    }
}
