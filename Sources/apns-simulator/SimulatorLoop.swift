internal import HTTP2
internal import Posix
internal import TLS

/// Serves connections for ever: one thread, one poll(2), every decision elsewhere.
struct SimulatorLoop: ~Copyable {
    let listener: LoopbackListener
    let context: TLSContext
    let examination: RequestExamination
    let maximumStreams: UInt32
    var script: AnswerScript
    let output: RecordOutput

    private var connections: [SimulatorConnection] = []
    private var accepted = 0
    /// No connection is taken before this time.
    private var pauseEnd: Duration?
    private var random = SystemRandomNumberGenerator()

    /// More wait in the kernel's queue until one of these has gone.
    private static let maximumConnections = 256

    init(
        listener: consuming LoopbackListener, context: TLSContext, examination: RequestExamination,
        script: AnswerScript, maximumStreams: UInt32,
        output: consuming RecordOutput
    ) {
        self.listener = listener
        self.context = context
        self.examination = examination
        self.script = script
        self.maximumStreams = maximumStreams
        self.output = output
    }

    /// Runs until a signal ends the program; throws `RecordOutput.Lost`, or a `SystemCallError` of poll(2).
    mutating func run() throws -> Never {
        while true {
            var poller = Poller()
            let places = connections.map { connection in
                poller.add(connection.rawValue, reading: !connection.isBlocked, writing: connection.isBlocked)
            }
            let listening = isAccepting ? poller.add(listener.rawValue) : nil
            let reader = poller.add(output.rawValue, reading: false)
            try poller.wait(timeout: timeToWait)
            if poller.isWritable(reader) {
                throw RecordOutput.Lost(
                    cause: SystemCallError(call: "poll", subject: "standard output", errno: .brokenPipe))
            }

            var remaining: [SimulatorConnection] = []
            for (connection, place) in zip(connections, places) {
                let isReadable = !connection.isBlocked && poller.isReadable(place)
                if try serve(connection, reading: isReadable) { remaining.append(connection) }
            }
            connections = remaining
            if let listening, poller.isReadable(listening) { accept() }
        }
    }

    private var isAccepting: Bool {
        connections.count < Self.maximumConnections && pauseEnd.map { $0 <= BootClock.now } ?? true
    }

    private var timeToWait: Duration? {
        let answers = connections.lazy.flatMap(\.delayed).map(\.due).min()
        let now = BootClock.now
        let pause = pauseEnd.flatMap { $0 > now ? $0 : nil }
        return [answers, pause].compactMap { $0 }.min().map { $0 - now }
    }

    /// What the system can't give now (EMFILE in accept(2) and others) may be there later: those who are served go
    /// on, and the rest wait in the kernel's queue for a second.
    private mutating func accept() {
        do {
            while connections.count < Self.maximumConnections, let socket = try listener.accept() {
                accepted += 1
                connections.append(
                    SimulatorConnection(
                        number: accepted, socket: socket, tls: try TLSSession(server: context)))
            }
        } catch {
            StandardError.tell("\(error)")
            pauseEnd = BootClock.now + .seconds(1)
        }
    }

    /// Gives whether the connection goes on.
    private mutating func serve(_ connection: SimulatorConnection, reading: Bool) throws(RecordOutput.Lost)
        -> Bool
    {
        do {
            if reading {
                guard let events = try connection.receive() else { return false }
                for event in events { try handle(event, on: connection) }
            }
            try sendDueAnswers(on: connection)
            let goesOn = try connection.flush()
            for event in connection.http2?.nextEvents() ?? [] { try handle(event, on: connection) }
            return goesOn
        } catch let error as RecordOutput.Lost {
            throw error
        } catch {
            // The alert or GOAWAY that tells the client why, as far as the socket takes it.
            _ = try? connection.flush()
            StandardError.tell("connection \(connection.number): \(error)")
            return false
        }
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
                try complete(request, stream, on: connection)
            }
        case .streamClosed(let stream, _):
            connection.incoming[stream] = nil
            connection.delayed.removeAll { $0.stream == stream }
        case .requestNotSent, .goAway, .settings, .pingAcknowledged: break
        }
    }

    private mutating func complete(
        _ request: PushRequest, _ stream: Int32, on connection: SimulatorConnection
    ) throws {
        let now = WallTime.now
        let examined = examination.examine(request, now: now)
        let id = EchoedID.of(request.headers, using: &random)
        let answer =
            switch examined.verdict {
            case .refused(let reason): SimulatedAnswer(reason, apnsID: id)
            case .accepted(let deviceToken):
                SimulatedAnswer(script.next(for: deviceToken), apnsID: id, now: now)
            }
        let record = Record(
            connection: connection.number, stream: stream,
            openStreams: connection.http2?.openStreams.count ?? 0, at: now, request: request,
            providerToken: examined.providerToken, answer: answer)
        try output.write(record.line)
        if answer.delay > .zero {
            connection.delayed.append((BootClock.now + answer.delay, stream, answer))
        } else {
            try send(answer, stream, on: connection)
        }
    }

    private func sendDueAnswers(on connection: SimulatorConnection) throws {
        guard !connection.delayed.isEmpty else { return }
        let now = BootClock.now
        let due = connection.delayed.filter { $0.due <= now }
        connection.delayed.removeAll { $0.due <= now }
        for (_, stream, answer) in due { try send(answer, stream, on: connection) }
    }

    private func send(_ answer: SimulatedAnswer, _ stream: Int32, on connection: SimulatorConnection) throws {
        try connection.http2?.submitResponse(stream, answer.headers, body: answer.body)
        if answer.status == 200, !connection.hasAccepted {
            connection.hasAccepted = true
            try connection.http2?.submitSettings([.maximumConcurrentStreams(maximumStreams)])
        }
    }
}
