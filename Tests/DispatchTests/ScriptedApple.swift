import Foundation
import HTTP2
import Posix
import TLS
import TestSupport

/// Apple's side of the wire in the test's own thread: TLS and HTTP/2 on 127.0.0.1, doing what the test tells it.
///
/// Nothing happens but in `pump`, which never waits: it takes what has arrived and sends what is to be sent.
/// ```
/// let apple = try ScriptedApple(in: directory)        // as Apple does: one stream, more after the first 200
/// apple.requested = { $0.answer(503, reason: "ServiceUnavailable") }
/// apple.connected = { $0.settings = [.maximumConcurrentStreams(0)] }
/// apple.goDown(); apple.comeBack()
/// ```
final class ScriptedApple {
    /// The root that clients must trust.
    let authorityFile: String
    let port: UInt16
    /// Called with each connection before its first byte: the place to change how it begins.
    var connected: (Connection) -> Void = { _ in }
    /// Called with each request that is complete.
    var requested: (Request) -> Void = { $0.answer() }
    /// All connections there have been, in order.
    private(set) var connections: [Connection] = []
    /// All complete requests, in order.
    var requests: [Request] { connections.flatMap(\.requests).sorted { $0.number < $1.number } }

    private let context: TLSContext
    private var listening: Listening?
    private var requestCount = 0

    /// An owner that can be let go.
    private final class Listening {
        let listener: LoopbackListener
        init(port: UInt16) throws { listener = try LoopbackListener(port: port) }
    }

    /// Listens on a free port, with a certificate for these names.
    init(in directory: TemporaryDirectory, hostNames: [String] = ["127.0.0.1", "localhost"]) throws {
        // As in the program: a peer that has gone must not end the process.
        signal(SIGPIPE, SIG_IGN)
        let issued = try ThrowAwayAuthority.issue(hostNames: hostNames)
        authorityFile = try directory.write(
            "scripted-\(UUID().uuidString).pem", String(decoding: issued.authorityPEM, as: UTF8.self))
        context = try TLSContext.server(certificatePEM: issued.certificatePEM, keyPEM: issued.keyPEM)
        let listening = try Listening(port: 0)
        port = listening.listener.port
        self.listening = listening
    }

    /// Those that haven't ended.
    var openConnections: [Connection] { connections.filter { $0.ending == nil } }

    /// Ends every connection with a TCP reset, and refuses new ones.
    func goDown() {
        listening = nil
        for connection in openConnections { connection.abort() }
    }

    /// Listens again on the same port.
    func comeBack() throws { listening = try Listening(port: port) }

    /// Adds what there is to wait for: a connection, bytes, room to send.
    func watch(with poller: inout Poller) {
        if let listening { _ = poller.add(listening.listener.rawValue) }
        for connection in openConnections { connection.watch(with: &poller) }
    }

    /// Does what can be done without waiting.
    func pump() throws {
        while let socket = try listening?.listener.accept() {
            let connection = Connection(
                number: connections.count + 1, socket: socket, tls: try TLSSession(server: context))
            connections.append(connection)
            connected(connection)
        }
        for connection in openConnections {
            connection.serve { request in
                requestCount += 1
                request.number = requestCount
                requested(request)
            }
        }
    }
}
