internal import HTTP2
internal import Posix

/// One turn of one connection.
extension SimulatorLoop {
    /// Does what there is to do now; gives whether the connection goes on.
    mutating func serve(_ connection: SimulatorConnection, isReady: Bool) throws -> Bool {
        if isReady {
            // Ready without being asked for is an error or the end.
            guard connection.wantsToRead, let events = try connection.receive() else { return false }
            if connection.http2 != nil {
                let first = connection.play.established(now: BootClock.now)
                try perform(first, on: connection, isStart: true)
            }
            for event in events { try handle(event, on: connection) }
        }
        if !connection.isClosing {
            try perform(connection.play.advance(now: BootClock.now), on: connection)
            try treatRequests(on: connection)
            try sendDueAnswers(on: connection)
        }
        let goesOn = try connection.flush()
        for event in connection.http2?.nextEvents() ?? [] { try handle(event, on: connection) }
        return goesOn
    }

    private mutating func handle(_ event: HTTP2Event, on connection: SimulatorConnection) throws {
        switch event {
        case .headers(let stream, let fields):
            // A second block on a stream holds trailers, which APNs doesn't know.
            if connection.incoming[stream] == nil {
                connection.incoming[stream] = PushRequest(headers: fields)
            }
        case .data(let stream, let piece): connection.incoming[stream]?.append(piece)
        case .endOfStream(let stream):
            if let request = connection.incoming.removeValue(forKey: stream) {
                connection.latestRequest = max(connection.latestRequest, stream)
                connection.waiting.append((stream, request))
                try treatRequests(on: connection)
            }
        case .streamClosed(let stream, let code):
            if let request = connection.waiting.first(where: { $0.stream == stream })?.request {
                try treat(request, stream, .ignore, on: connection)
            }
            if connection.ended(stream, code) {
                try record(.unanswered(stream: stream, code), on: connection)
            }
        case .requestNotSent, .goAway, .settings, .pingAcknowledged: break
        }
    }

    /// Does what these steps say, as far as it is done at once; `isStart`: they are the script's first.
    func perform(
        _ steps: [ConnectionStep], on connection: SimulatorConnection, isStart: Bool = false
    ) throws {
        for (index, step) in steps.enumerated() {
            var done = step
            switch step {
            case .act(.streams(let count)): try connection.allow(streams: count)
            case .act(.goAway(let goAway)): done = .act(.goAway(try connection.say(goAway)))
            case .act(.close): try connection.close()
            case .act(.abort):
                try connection.sendReady()
                connection.abort()
            case .act(.reject): connection.abort()
            case .treat(.silence, _):
                // What is ready leaves before, but for the first SETTINGS where nothing comes before.
                if index > 0 || !isStart { try connection.sendReady() }
            case .treat: break
            }
            try record(.began(done), on: connection)
        }
    }

    /// Treats the requests that wait, until a step makes them wait on.
    private mutating func treatRequests(on connection: SimulatorConnection) throws {
        while !connection.isClosing, !connection.waiting.isEmpty,
            let treatment = connection.play.treatment()
        {
            let (stream, request) = connection.waiting.removeFirst()
            try treat(request, stream, treatment, on: connection)
            try perform(connection.play.advance(now: BootClock.now), on: connection)
        }
    }

    /// Writes the lines of requests that no step has treated before the connection ended.
    mutating func ignoreWaiting(on connection: SimulatorConnection) throws {
        for (stream, request) in connection.waiting { try treat(request, stream, .ignore, on: connection) }
    }

    private mutating func treat(
        _ request: PushRequest, _ stream: Int32, _ treatment: ConnectionPlay.Treatment,
        on connection: SimulatorConnection
    ) throws {
        let now = WallTime.now
        let examined = examination.examine(request, now: now)
        let id = EchoedID.of(request.headers, using: &random)
        let outcome: Record.Outcome =
            switch treatment {
            case .answer(let step):
                .answered(answer(examined, step, apnsID: id, now: now))
            case .reset(let code): .reset(code)
            case .ignore: .ignored
            }
        let record = Record(
            connection: connection.number, stream: stream,
            openStreams: connection.http2?.openStreams.count ?? 0, at: now, request: request,
            providerToken: examined.providerToken, apnsID: id, outcome: outcome)
        try output.write(record.line)
        switch outcome {
        case .answered(let answer):
            connection.owes(stream)
            if answer.delay > .zero {
                connection.delayed.append((BootClock.now + answer.delay, stream, answer))
            } else {
                try connection.answer(stream, answer, maximumStreams: maximumStreams)
            }
        case .reset(let code): try connection.http2?.reset(stream, code: code)
        case .ignored: connection.owes(stream)
        }
    }

    /// What a request is answered: as Apple would where it is wrong, else by its connection's script, else by the
    /// rules, else 200 or what chaos wants.
    private mutating func answer(
        _ examined: (verdict: RequestExamination.Verdict, providerToken: CheckedToken), _ step: AnswerStep?,
        apnsID: String, now: WallTime
    ) -> SimulatedAnswer {
        switch examined.verdict {
        case .refused(let reason): return SimulatedAnswer(reason, apnsID: apnsID, now: now)
        case .accepted(let deviceToken):
            let tokenAge = now.seconds - (examined.providerToken.token?.issuedAt ?? now.seconds)
            let step =
                step ?? script.answers.next(for: deviceToken) ?? chaos?.answer(tokenAge: tokenAge)
                ?? AnswerStep()
            return SimulatedAnswer(step, apnsID: apnsID, now: now)
        }
    }

    private func sendDueAnswers(on connection: SimulatorConnection) throws {
        guard !connection.delayed.isEmpty else { return }
        let now = BootClock.now
        let due = connection.delayed.filter { $0.due <= now }
        connection.delayed.removeAll { $0.due <= now }
        for (_, stream, answer) in due {
            try connection.answer(stream, answer, maximumStreams: maximumStreams)
        }
    }
}
