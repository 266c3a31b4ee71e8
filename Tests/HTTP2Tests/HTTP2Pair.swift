import HTTP2

/// A client and a server that talk through arrays, with everything that happened on either side.
final class HTTP2Pair {
    let client: HTTP2Session
    let server: HTTP2Session
    private(set) var clientEvents: [HTTP2Event] = []
    private(set) var serverEvents: [HTTP2Event] = []

    init(serverSettings: [Setting] = [.maximumConcurrentStreams(100)]) throws {
        client = try HTTP2Session(role: .client)
        server = try HTTP2Session(role: .server, settings: serverSettings)
    }

    /// Carries what the client has to say; gives how many bytes that were.
    @discardableResult
    func carryToServer(pieceBytes: Int = 1 << 20) throws -> Int {
        let bytes = try client.bytesToSend()
        clientEvents += client.nextEvents()
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
            serverEvents += try server.receive(Array(bytes[start...].prefix(pieceBytes)))
        }
        return bytes.count
    }

    /// Carries what the server has to say; gives how many bytes that were.
    @discardableResult
    func carryToClient(pieceBytes: Int = 1 << 20) throws -> Int {
        let bytes = try server.bytesToSend()
        serverEvents += server.nextEvents()
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
            clientEvents += try client.receive(Array(bytes[start...].prefix(pieceBytes)))
        }
        return bytes.count
    }

    /// Carries bytes to and fro until both sides are silent.
    func converse(pieceBytes: Int = 1 << 20) throws {
        while try carryToServer(pieceBytes: pieceBytes) + carryToClient(pieceBytes: pieceBytes) > 0 {}
    }

    /// Submits a push with this body.
    func push(_ body: [UInt8] = Array("{}".utf8)) throws -> Int32 {
        try client.submitRequest(pushHeaders, body: body)
    }

    /// Answers a request with 200 and this body.
    func answer(_ stream: Int32, _ body: [UInt8] = []) throws {
        try server.submitResponse(stream, [HeaderField(":status", "200")], body: body)
    }

    /// The streams the server has heard a request on.
    var requested: [Int32] {
        serverEvents.compactMap { if case .headers(let stream, _) = $0 { stream } else { nil } }
    }

    /// How each stream ended for the client, in order.
    var outcomes: [Outcome] {
        clientEvents.compactMap {
            switch $0 {
            case .streamClosed(let stream, let code): Outcome(stream: stream, end: "\(code)")
            case .requestNotSent(let stream): Outcome(stream: stream, end: "not sent")
            default: nil
            }
        }
    }

    struct Outcome: Equatable {
        let stream: Int32
        let end: String
    }
}

let pushHeaders = [
    HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
    HeaderField(":path", "/3/device/00"), HeaderField(":authority", "localhost"),
]

extension [HTTP2Event] {
    /// The body that came on a stream.
    func body(of stream: Int32) -> [UInt8] {
        flatMap { if case .data(stream, let bytes) = $0 { bytes } else { [UInt8]() } }
    }

    /// How often something happened.
    func count(of event: HTTP2Event) -> Int { count { $0 == event } }

    /// The first header block on a stream.
    func headers(of stream: Int32) -> [HeaderField]? {
        lazy.compactMap { if case .headers(stream, let fields) = $0 { fields } else { nil } }.first
    }
}

/// A frame's header (RFC 9113 section 4.1) and payload.
func frame(type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8]) -> [UInt8] {
    [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream] + payload
}
