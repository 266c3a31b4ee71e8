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
    let output: FileDescriptor

    private var connections: [SimulatorConnection] = []
    private var accepted = 0
    private var random = SystemRandomNumberGenerator()

    /// More wait in the kernel's queue until one of these has gone.
    private static let maximumConnections = 256

    init(
        listener: consuming LoopbackListener, context: TLSContext, examination: RequestExamination,
        script: AnswerScript, maximumStreams: UInt32,
        output: consuming FileDescriptor
    ) {
        self.listener = listener
        self.context = context
        self.examination = examination
        self.script = script
        self.maximumStreams = maximumStreams
        self.output = output
    }

    /// Standard output can't be written to: records would be lost, so there is no point in going on.
    private struct OutputLost: Error {
        let cause: SystemCallError
    }

    /// Runs until a signal ends the program; throws when standard output or the listening socket fails.
    mutating func run() throws(SystemCallError) -> Never {
        while true {
            var poller = Poller()
            let places = connections.map { connection in
                poller.add(connection.rawValue, reading: !connection.isBlocked, writing: connection.isBlocked)
            }
            let listening =
                connections.count < Self.maximumConnections ? poller.add(listener.rawValue) : nil
            // Neither: poll(2) tells of a pipe without a reader in any case.
            let reader = poller.add(output.rawValue, reading: false)
            try poller.wait(timeout: timeToNextAnswer)
            if poller.isWritable(reader) {
                throw SystemCallError(call: "poll", subject: "standard output", errno: .brokenPipe)
            }

            var remaining: [SimulatorConnection] = []
            for (connection, place) in zip(connections, places) {
                let isReadable = !connection.isBlocked && poller.isReadable(place)
                if try serve(connection, reading: isReadable) { remaining.append(connection) }
            }
            connections = remaining
            if let listening, poller.isReadable(listening) { try accept() }
        }
    }

    private var timeToNextAnswer: Duration? {
        connections.lazy.flatMap(\.delayed).map(\.due).min().map { $0 - BootClock.now }
    }

    private mutating func accept() throws(SystemCallError) {
        while connections.count < Self.maximumConnections {
            guard let socket = try listener.accept() else { return }
            accepted += 1
            // Fails only without memory; the client then sees its connection closed.
            guard let tls = try? TLSSession(server: context) else { return }
            connections.append(SimulatorConnection(number: accepted, socket: socket, tls: tls))
        }
    }

    /// Gives whether the connection goes on.
    private mutating func serve(_ connection: SimulatorConnection, reading: Bool) throws(SystemCallError)
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
        } catch let error as OutputLost {
            throw error.cause
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
        let id = NotificationID.of(request.headers, using: &random)
        let answer =
            switch examined.verdict {
            case .refused(let reason): Answer(reason, apnsID: id)
            case .accepted(let deviceToken): Answer(script.next(for: deviceToken), apnsID: id, now: now)
            }
        let record = Record(
            connection: connection.number, stream: stream,
            openStreams: connection.http2?.openStreams.count ?? 0, at: now, request: request,
            providerToken: examined.providerToken, answer: answer)
        do {
            try output.writeAll(record.line)
        } catch {
            throw OutputLost(cause: error)
        }
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

    private func send(_ answer: Answer, _ stream: Int32, on connection: SimulatorConnection) throws {
        try connection.http2?.submitResponse(stream, answer.headers, body: answer.body)
        if answer.status == 200, !connection.hasAccepted {
            connection.hasAccepted = true
            try connection.http2?.submitSettings([.maximumConcurrentStreams(maximumStreams)])
        }
    }
}
