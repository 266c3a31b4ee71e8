internal import HTTP2
internal import Posix
internal import TLS

/// One client's connection: carries bytes between socket, TLS and HTTP/2, and decides nothing.
final class SimulatorConnection {
    /// Counted from 1 in the order of arrival.
    let number: Int
    private let socket: FileDescriptor
    private let tls: TLSSession
    private(set) var http2: HTTP2Session?
    /// Ciphertext that the socket hasn't taken yet.
    private var unsent: [UInt8] = []

    /// Requests that aren't complete, by stream.
    var incoming: [Int32: PushRequest] = [:]
    /// Answers that are held back, and until when.
    var delayed: [(due: Duration, stream: Int32, answer: Answer)] = []
    /// Whether this connection has had a 200, after which it may open more streams than one.
    var hasAccepted = false

    init(number: Int, socket: consuming FileDescriptor, tls: TLSSession) {
        self.number = number
        self.socket = socket
        self.tls = tls
    }

    /// What to poll(2).
    var rawValue: CInt { socket.rawValue }

    /// Whether the client must read before anything else happens: until then nothing is read from it either.
    var isBlocked: Bool { !unsent.isEmpty }

    /// What Apple's servers announce (observed): one stream until a provider token has been accepted.
    private static let settings: [Setting] = [
        .headerTableSize(4_096), .maximumConcurrentStreams(1), .maximumHeaderListSize(8_000),
    ]

    /// Takes what the client has sent; nil when the connection has ended.
    func receive() throws -> [HTTP2Event]? {
        guard let bytes = try arrived() else { return [] }
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
        unsent += tls.bytesToSend()
        unsent.removeFirst(try written(unsent))
        return isBlocked || !tls.peerHasClosed && http2?.isFinished != true
    }

    /// What the socket has: nothing at the end of the connection, nil when it may have more later.
    private func arrived() throws(SystemCallError) -> [UInt8]? {
        do throws(SystemCallError) {
            return try socket.read(upTo: 65_536)
        } catch  where error.errno == .again {
            return nil
        }
    }

    /// How many of these bytes the socket takes.
    private func written(_ bytes: [UInt8]) throws(SystemCallError) -> Int {
        if bytes.isEmpty { return 0 }
        do throws(SystemCallError) {
            return try socket.write(bytes)
        } catch  where error.errno == .again {
            return 0
        }
    }
}
