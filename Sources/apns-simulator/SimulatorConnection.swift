internal import Glibc
internal import HTTP2
internal import Posix
internal import TLS

/// One client's connection: carries bytes between socket, TLS and HTTP/2, and decides nothing.
final class SimulatorConnection {
    /// Counted from 1 in the order of arrival.
    let number: Int
    /// Nil where it has none.
    let script: ConnectionScript?
    /// Decides how the client is treated.
    var play: ConnectionPlay
    private let socket: StreamSocket
    private let tls: TLSSession
    private(set) var http2: HTTP2Session?

    /// Requests that aren't complete, by stream.
    var incoming: [Int32: PushRequest] = [:]
    /// Requests that are complete and wait for a step that treats them.
    var waiting: [(stream: Int32, request: PushRequest)] = []
    /// Answers that are held back, and until when.
    var delayed: [(due: Duration, stream: Int32, answer: SimulatedAnswer)] = []
    /// Requests that have their lines and no answer.
    private var owed: Set<Int32> = []
    /// Requests whose answers are packed and may not all have gone to the kernel.
    private var packed: [Int32] = []
    /// The latest stream whose request was complete.
    var latestRequest: Int32 = 0
    /// How many streams it allows.
    private var streams: UInt32
    /// Whether this connection has had a 200, after which it may open more streams than one.
    private var hasAccepted = false
    private var hasSaidGoAway = false
    private var closing = Closing.no

    private enum Closing: Equatable {
        case no
        /// Nothing more is packed; what is packed goes out.
        case emptying
        /// FIN is sent; the client has until then to close too.
        case lingering(until: Duration)
        /// It is over, whatever the client thinks.
        case over
    }

    init(number: Int, socket: StreamSocket, tls: TLSSession, script: ConnectionScript?) {
        self.number = number
        self.socket = socket
        self.tls = tls
        self.script = script
        play = ConnectionPlay(script)
        streams = script?.firstStreams ?? 1
    }

    /// What to poll(2).
    var rawValue: CInt { socket.rawValue }
    /// Whether reading is of use now: not while the client must read first what it was sent.
    var wantsToRead: Bool { !isBlocked && !play.isDeaf }
    /// Whether writing is of use now.
    var wantsToWrite: Bool { isBlocked && !play.isMute }
    /// Whether nothing that is done now would tell that the client has gone.
    var isUnheard: Bool { !wantsToRead && !wantsToWrite }
    /// Whether this side ends it.
    var isClosing: Bool { closing != .no }

    private var isBlocked: Bool { socket.hasUnsent }

    /// When something is to be done without the client at the latest.
    var nextTimer: Duration? {
        switch closing {
        case .no: (delayed.map(\.due) + [play.nextTimer].compactMap { $0 }).min()
        case .emptying: isBlocked ? nil : .zero
        case .lingering(let end): end
        case .over: .zero
        }
    }

    /// Takes some of what the client has sent; nil when the connection has ended.
    ///
    /// One piece a call: who sends faster than this reads gets its turn like everybody else.
    func receive() throws -> [HTTP2Event]? {
        guard let bytes = try socket.receive(upTo: 65_536) else { return [] }
        if bytes.isEmpty { return nil }
        if isClosing { return [] }
        try tls.receive(bytes)
        guard try tls.handshake() else { return [] }
        // What Apple's servers announce (observed): one stream until a provider token has been accepted.
        let session =
            try http2
            ?? HTTP2Session(
                role: .server,
                settings: [
                    .headerTableSize(4_096), .maximumConcurrentStreams(streams),
                    .maximumHeaderListSize(8_000),
                ])
        http2 = session
        return try session.receive(try tls.read())
    }

    /// Sends what is to be sent, as much as the socket takes; gives whether the connection goes on.
    func flush() throws -> Bool {
        if closing == .over { return false }
        if play.isMute { return true }
        try sendReady()
        if isBlocked { return true }
        switch closing {
        case .no: return !tls.peerHasClosed && (http2?.isFinished != true || hasSaidGoAway)
        case .emptying:
            closing = .lingering(until: BootClock.now + Self.lingering)
            return shutdown(rawValue, CInt(SHUT_WR)) == 0
        case .lingering(let end): return BootClock.now < end
        case .over: return false
        }
    }

    /// Sends what is ready, however mute the present step is.
    func sendReady() throws {
        if let http2, !isBlocked, !isClosing { try tls.write(try http2.bytesToSend()) }
        try socket.send(tls.bytesToSend())
        if !isBlocked { packed = [] }
    }

    /// How long a client may leave a closed connection open.
    private static let lingering = Duration.seconds(5)
}

/// What steps and answers ask for.
extension SimulatorConnection {
    /// Allows this many streams.
    func allow(streams count: UInt32) throws {
        guard count != streams else { return }
        streams = count
        try http2?.submitSettings([.maximumConcurrentStreams(count)])
    }

    /// Says that it will go; gives what was said, with the number of the last stream.
    func say(_ goAway: ConnectionStep.GoAway) throws -> ConnectionStep.GoAway {
        var said = goAway
        if said.last == .read { said.last = latestRequest == 0 ? .none : .stream(latestRequest) }
        let last: Int32 =
            switch said.last {
            case .read, .none: 0
            case .all: .max
            case .stream(let stream): stream
            }
        try http2?.submitGoAway(lastStreamID: last, code: said.code, data: Array(said.data.utf8))
        hasSaidGoAway = true
        return said
    }

    /// Closes when what is ready has gone.
    func close() throws {
        if let http2 { try tls.write(try http2.bytesToSend()) }
        closing = .emptying
    }

    /// Closes at once, and tells the client by RST (socket(7), SO_LINGER).
    func abort() {
        var atOnce = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(rawValue, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<Glibc.linger>.size))
        closing = .over
    }

    /// Notes a request that has its line and will be answered, or at least should have been.
    func owes(_ stream: Int32) { owed.insert(stream) }

    /// Requests that have their lines and no answer, or not a whole one.
    var unanswered: [Int32] { (owed + (isBlocked ? packed : [])).sorted() }

    /// Queues an answer; after the first 200 up to `maximumStreams` may be open, where no script says how many.
    func answer(_ stream: Int32, _ answer: SimulatedAnswer, maximumStreams: UInt32) throws {
        try http2?.submitResponse(
            stream, answer.headers, body: answer.body, frameBytes: answer.frameBytes)
        if answer.status == 200, !hasAccepted {
            hasAccepted = true
            if script?.setsStreams != true { try allow(streams: maximumStreams) }
        }
    }

    /// Forgets a stream that has ended; gives whether its request has been cheated of its answer.
    func ended(_ stream: Int32, _ code: ErrorCode) -> Bool {
        incoming[stream] = nil
        waiting.removeAll { $0.stream == stream }
        delayed.removeAll { $0.stream == stream }
        let isOwed = owed.remove(stream) != nil
        guard code == .noError else { return isOwed }
        packed.append(stream)
        return false
    }
}
