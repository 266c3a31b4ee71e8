internal import HTTP2
internal import Posix
internal import TLS

/// Serves connections for ever: one thread, one poll(2), every decision elsewhere.
struct SimulatorLoop: ~Copyable {
    let listener: LoopbackListener
    let context: TLSContext
    let examination: RequestExamination
    let maximumStreams: UInt32
    var script: Script
    var chaos: Chaos?
    let output: RecordOutput
    var random = SystemRandomNumberGenerator()

    private var connections: [SimulatorConnection] = []
    private var accepted = 0
    /// No connection is taken before this time.
    private var pauseEnd: Duration?

    /// More wait in the kernel's queue until one of these has gone.
    private static let maximumConnections = 256

    init(
        listener: consuming LoopbackListener, context: TLSContext, examination: RequestExamination,
        script: Script, chaos: Chaos?, maximumStreams: UInt32,
        output: consuming RecordOutput
    ) {
        self.listener = listener
        self.context = context
        self.examination = examination
        self.script = script
        self.chaos = chaos
        self.maximumStreams = maximumStreams
        self.output = output
    }

    /// Runs until a signal ends the program; throws `RecordOutput.Lost`, or a `SystemCallError` of poll(2).
    mutating func run() throws -> Never {
        while true {
            var poller = Poller()
            let places = connections.map { connection in
                poller.add(
                    connection.rawValue, reading: connection.wantsToRead, writing: connection.wantsToWrite,
                    ending: connection.isUnheard)
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
                if try goesOn(connection, isReady: poller.isReadable(place)) { remaining.append(connection) }
            }
            connections = remaining
            if let listening, poller.isReadable(listening) { try accept() }
        }
    }

    private var isAccepting: Bool {
        connections.count < Self.maximumConnections && pauseEnd.map { $0 <= BootClock.now } ?? true
    }

    private var timeToWait: Duration? {
        let timers = connections.lazy.compactMap(\.nextTimer).min()
        let now = BootClock.now
        let pause = pauseEnd.flatMap { $0 > now ? $0 : nil }
        return [timers, pause].compactMap { $0 }.min().map { $0 - now }
    }

    /// What the system can't give now (EMFILE in accept(2) and others) may be there later: those who are served go
    /// on, and the rest wait in the kernel's queue for a second.
    private mutating func accept() throws(RecordOutput.Lost) {
        do {
            while connections.count < Self.maximumConnections, let socket = try listener.accept() {
                accepted += 1
                let script = script.connections.script(of: accepted) ?? chaos?.script()
                let connection = SimulatorConnection(
                    number: accepted, socket: socket, tls: try TLSSession(server: context), script: script)
                try record(.connected(script), on: connection)
                try perform(connection.play.accepted(now: BootClock.now), on: connection)
                connections.append(connection)
            }
        } catch let error as RecordOutput.Lost {
            throw error
        } catch {
            StandardError.tell("\(error)")
            pauseEnd = BootClock.now + .seconds(1)
        }
    }

    /// Serves a connection and gives whether it goes on.
    private mutating func goesOn(_ connection: SimulatorConnection, isReady: Bool) throws(RecordOutput.Lost)
        -> Bool
    {
        do {
            if try serve(connection, isReady: isReady) { return true }
            try ignoreWaiting(on: connection)
        } catch let error as RecordOutput.Lost {
            throw error
        } catch {
            // The alert or GOAWAY that tells the client why, as far as the socket takes it.
            _ = try? connection.flush()
            StandardError.tell("connection \(connection.number): \(error)")
        }
        try record(
            .closed(bySimulator: connection.isClosing, unanswered: connection.unanswered),
            on: connection)
        return false
    }

    func record(_ event: ConnectionRecord.Event, on connection: SimulatorConnection) throws(RecordOutput.Lost)
    {
        try output.write(
            ConnectionRecord(connection: connection.number, at: WallTime.now, event: event).line)
    }
}
