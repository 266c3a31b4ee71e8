import Glibc
import HTTP2
import Posix
import TLS

@testable import APNsSimulatorCommand

/// A push client of one blocking connection.
final class TestClient {
    private let socket: FileDescriptor
    private let tls: TLSSession
    let http2: HTTP2Session
    private(set) var events: [HTTP2Event] = []

    /// Nothing happened in time, or the server has hung up.
    struct Silence: Error {
        let events: [HTTP2Event]
    }

    /// Connects and shakes hands.
    init(port: UInt16, caFile: String) throws {
        socket = try Self.connected(port)
        tls = try TLSSession(client: .client(caFile: caFile), hostName: "api.push.apple.com")
        http2 = try HTTP2Session(role: .client)
        while try !tls.handshake() {
            try socket.writeAll(tls.bytesToSend())
            try tls.receive(try arrived())
        }
    }

    /// Opens a TCP connection whose reads end after ten seconds.
    static func connected(_ port: UInt16) throws -> FileDescriptor {
        let number = try systemCall("socket", "TCP") { Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0) }
        let socket = FileDescriptor(owning: number)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        _ = setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: INADDR_LOOPBACK.bigEndian)
        _ = try systemCall("connect", "127.0.0.1:\(port)") {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        return socket
    }

    /// Sends frames of a kind that nobody knows (RFC 9113 section 5.5), as fast as they are taken, until hung up on.
    func flood(begun: () -> Void) throws {
        try tls.write(try http2.bytesToSend())
        let frames = (0..<5_000).flatMap { _ in [0, 0, 0, 0xEE, 0, 0, 0, 0, 0] as [UInt8] }
        for count in 0... {
            try tls.write(frames)
            try socket.writeAll(tls.bytesToSend())
            if count == 20 { begun() }
        }
    }

    /// Submits a request, which leaves with the next `wait`.
    @discardableResult
    func submit(_ request: PushRequest) throws -> Int32 {
        try http2.submitRequest(request.headers, body: request.body)
    }

    /// Sends what has been submitted.
    func send() throws {
        try tls.write(try http2.bytesToSend())
        try socket.writeAll(tls.bytesToSend())
    }

    /// Talks until something has been seen that `found` knows.
    @discardableResult
    func wait<Found>(until found: ([HTTP2Event]) -> Found?) throws -> Found {
        while true {
            try send()
            events += http2.nextEvents()
            if let value = found(events) { return value }
            try tls.receive(try arrived())
            events += try http2.receive(try tls.read())
        }
    }

    /// The status on this stream, when its response is complete.
    func waitForStatus(_ stream: Int32) throws -> String {
        try wait { events in
            guard events.contains(.endOfStream(stream)) else { return nil }
            return events.lazy.compactMap { event in
                if case .headers(stream, let fields) = event { fields[":status"] } else { nil }
            }.first
        }
    }

    /// How this stream has ended.
    func waitForClose(_ stream: Int32) throws -> ErrorCode {
        try wait { events in
            events.lazy.compactMap { if case .streamClosed(stream, let code) = $0 { code } else { nil } }
                .first
        }
    }

    /// The stream limits that the server has announced so far, in order.
    var streamLimits: [UInt32] {
        events.compactMap {
            if case .settings(let settings) = $0 { settings.maximumConcurrentStreams } else { nil }
        }
    }

    private func arrived() throws -> [UInt8] {
        let bytes = try socket.read(upTo: 65_536)
        if bytes.isEmpty { throw Silence(events: events) }
        return bytes
    }
}
