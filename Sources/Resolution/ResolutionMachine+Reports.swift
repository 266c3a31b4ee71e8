/// What came of the questions, and how notices end.
extension ResolutionMachine {
    /// A question was answered.
    public mutating func answered(_ ask: Ask, _ answer: Answer, now: Duration) {
        guard close(ask) else { return }
        welcomed(ask)
        guard var entry = waiting[ask.notice] else { return }
        if case .found(let finding) = answer, let uid = message(in: finding, for: ask.question) {
            let location = Resolution.Location(
                folder: finding.folder, uid: uid, uidValidity: finding.uidValidity)
            return end(ask.notice, ask.question.account, location, Resolution.Source(finding.clue))
        }
        if ask.question.uid != nil { return giveUp(ask.notice, entry, .notFound) }
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

    /// The account was let in, and its server answers.
    private mutating func welcomed(_ ask: Ask) {
        accounts[ask.key] = nil
        servers[ask.service, default: Standing()].welcomed(ask.account).forEach { account in
            accounts[AccountOfService(service: ask.service, account: account)] = nil
        }
    }

    /// The connection waits on for the answer to a question that was to be abandoned, and meanwhile nobody is asked
    /// there about the account; false where it has waited for long enough.
    public mutating func waitOn(_ ask: Ask, now: Duration) -> Bool {
        guard let entry = asked[ask.account], entry.ask == ask else { return false }
        asked[ask.account] = nil
        late[ask.key] = Asked(ask: ask, since: entry.since)
        servers[ask.service, default: Standing()].doubt(ask.account, limits.doubts, now: now)
        needsTurn = true
        return true
    }

    /// A question will never be answered; somebody else is asked at once, if anybody may be.
    public mutating func failed(_ ask: Ask, _ failure: Failure, now: Duration) {
        guard close(ask) else { return }
        var server = servers[ask.service, default: Standing()]
        switch failure {
        case .stale where waiting[ask.notice]?.wasStale == false:
            waiting[ask.notice]?.wasStale = true
            server.breaker?.probeWasLost(now: now)
            accounts[ask.key]?.probeWasLost(now: now)
        case .server:
            server.failed(now: now)
            accounts[ask.key]?.probeWasLost(now: now)
        case .refused:
            server.refused(ask.account)
            accounts[ask.key, default: Breaker()].failed(now: now, Breaker.refusal)
        case .lockedOut:
            server.lockedOut(ask.account, limits.doubts, now: now)
            accounts[ask.key, default: Breaker()].failed(now: now, Breaker.refusal)
        case .account, .stale:
            server.doubt(ask.account, limits.doubts, now: now)
            accounts[ask.key, default: Breaker()].failed(now: now)
        }
        servers[ask.service] = server
    }

    /// Whether the question was open.
    private mutating func close(_ ask: Ask) -> Bool {
        needsTurn = true
        if asked[ask.account]?.ask == ask {
            asked[ask.account] = nil
        } else if late[ask.key]?.ask == ask {
            late[ask.key] = nil
        } else {
            return false
        }
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

    /// Ends a notice without an answer: by the entry's uid, or by its guess, if no server was there to deny it and it
    /// served nobody.
    mutating func giveUp(_ notice: Int64, _ entry: Waiting, _ reason: Resolution.Source) {
        let question = entry.question
        if let uid = question.uid {
            let location = Resolution.Location(folder: question.folder, uid: uid, uidValidity: nil)
            return end(notice, question.account, location, .entry)
        }
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
        if let location { remember(location, of: account) }
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
            case .entry: .entry
            }
    }
}
