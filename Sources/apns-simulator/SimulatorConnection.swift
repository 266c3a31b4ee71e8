internal import HTTP2
internal import Posix
internal import TLS

/// One client's connection: carries bytes between socket, TLS and HTTP/2, and decides nothing.
final class SimulatorConnection {
    /// Counted from 1 in the order of arrival.
    let number: Int
    private let socket: StreamSocket
    private let tls: TLSSession
    private(set) var http2: HTTP2Session?

    /// Requests that aren't complete, by stream.
    var incoming: [Int32: PushRequest] = [:]
    /// Answers that are held back, and until when.
    var delayed: [(due: Duration, stream: Int32, answer: SimulatedAnswer)] = []
    /// Whether this connection has had a 200, after which it may open more streams than one.
    var hasAccepted = false

    init(number: Int, socket: StreamSocket, tls: TLSSession) {
        self.number = number
        self.socket = socket
        self.tls = tls
    }

    /// What to poll(2).
    var rawValue: CInt { socket.rawValue }

    /// Whether the client must read before anything else happens: until then nothing is read from it either.
    var isBlocked: Bool { socket.hasUnsent }

    /// What Apple's servers announce (observed): one stream until a provider token has been accepted.
    private static let settings: [Setting] = [
        .headerTableSize(4_096), .maximumConcurrentStreams(1), .maximumHeaderListSize(8_000),
    ]

    /// Takes some of what the client has sent; nil when the connection has ended.
    ///
    /// One piece a call: who sends faster than this reads gets its turn like everybody else.
    func receive() throws -> [HTTP2Event]? {
        guard let bytes = try socket.receive(upTo: 65_536) else { return [] }
        if bytes.isEmpty { return nil }
        try tls.receive(bytes)
        guard try tls.handshake() else { return [] }
        let session = try http2 ?? HTTP2Session(role: .server, settings: Self.settings)
        http2 = session
        return try session.receive(try tls.read())
    }

    /// Sends what is to be sent, as much as the socket takes; gives whether the connection goes on.
    func flush() throws -> Bool {
        if let http2, !isBlocked { try tls.write(try http2.bytesToSend()) }
        try socket.send(tls.bytesToSend())
        return isBlocked || !tls.peerHasClosed && http2?.isFinished != true
    }
}
