/// What came of the questions, and how notices end.
extension ResolutionMachine {
    /// A question was answered.
    public mutating func answered(_ ask: Ask, _ answer: Answer, now: Duration) {
        guard close(ask) else { return }
        servers[ask.service] = nil
        accounts[AccountOfService(service: ask.service, account: ask.account)] = nil
        doubted[ask.service] = nil
        guard var entry = waiting[ask.notice] else { return }
        if case .found(let finding) = answer, let uid = message(in: finding, for: ask.question) {
            let location = Resolution.Location(
                folder: finding.folder, uid: uid, uidValidity: finding.uidValidity)
            return end(ask.notice, ask.question.account, location, Resolution.Source(finding.clue))
        }
        let wait =
            limits.retries.isEmpty
            ? limits.bound : limits.retries[min(entry.answers, limits.retries.count - 1)]
        entry.answers += 1
        entry.nextTry = now + wait
        waiting[ask.notice] = entry
        // Its bound would pass first.
        if entry.nextTry >= entry.since + limits.bound {
            end(ask.notice, ask.question.account, nil, .notFound)
        }
    }

    /// A question will never be answered; somebody else is asked at once, if anybody may be.
    public mutating func failed(_ ask: Ask, _ failure: Failure, now: Duration) {
        guard close(ask) else { return }
        let account = AccountOfService(service: ask.service, account: ask.account)
        switch failure {
        case .stale where waiting[ask.notice]?.wasStale == false:
            waiting[ask.notice]?.wasStale = true
            servers[ask.service]?.probeWasLost(now: now)
            accounts[account]?.probeWasLost(now: now)
        case .server:
            servers[ask.service, default: Breaker()].failed(now: now)
            accounts[account]?.probeWasLost(now: now)
        case .refused:
            servers[ask.service] = nil
            accounts[account, default: Breaker()].failed(now: now)
        case .account, .stale:
            accounts[account, default: Breaker()].failed(now: now)
            doubted[ask.service, default: []].insert(ask.account)
            // A probe that fails speaks against the server, whoever's it is.
            if servers[ask.service] != nil || doubted[ask.service, default: []].count >= limits.doubts {
                servers[ask.service, default: Breaker()].failed(now: now)
                doubted[ask.service] = nil
            }
        }
    }

    /// Whether the question was open.
    private mutating func close(_ ask: Ask) -> Bool {
        needsTurn = true
        guard asked[ask.account]?.ask == ask else { return false }
        asked[ask.account] = nil
        return true
    }

    private func message(in finding: Finding, for question: Question) -> UInt32? {
        finding.message(for: question) { uid in
            taken.contains(
                TakenUIDs.Message(
                    account: question.account, folder: finding.folder, uidValidity: finding.uidValidity,
                    uid: uid))
        }
    }

    /// Ends a notice without an answer: by the entry's guess, if no server was there to deny it and it served nobody.
    mutating func giveUp(_ notice: Int64, _ entry: Waiting, _ reason: Resolution.Source) {
        let question = entry.question
        guard let hint = question.uidHint, entry.answers == 0,
            !taken.contains(
                TakenUIDs.Message(
                    account: question.account, folder: question.folder, uidValidity: question.uidValidity,
                    uid: hint))
        else { return end(notice, question.account, nil, entry.answers > 0 ? .notFound : reason) }
        let location = Resolution.Location(
            folder: question.folder, uid: hint, uidValidity: question.uidValidity)
        end(notice, question.account, location, .hint)
    }

    mutating func end(
        _ notice: Int64, _ account: String, _ location: Resolution.Location?, _ source: Resolution.Source
    ) {
        waiting[notice] = nil
        if let location {
            taken.insert(
                TakenUIDs.Message(
                    account: account, folder: location.folder, uidValidity: location.uidValidity,
                    uid: location.uid))
        }
        resolved.append(Resolution(notice: notice, location: location, source: source))
    }
}

extension Resolution.Source {
    fileprivate init(_ clue: Finding.Clue) {
        self =
            switch clue {
            case .guid: .guid
            case .messageID: .messageID
            case .hint: .checkedHint
            }
    }
}
