import APNs
import HTTP2
import Posix
import TLS
import TestSupport
import Testing

@testable import DispatchCommand

/// A connection of ours and a scripted server, in one thread, with a clock that only the test moves.
final class Wire {
    let apple: ScriptedApple
    /// Time since boot, as the connections see it.
    var now: Duration = .seconds(1000)
    /// The connection in use.
    private(set) var connection: APNsConnection
    /// How each delivery ended, in order.
    private(set) var answers: [(delivery: Int64, answer: Answer)] = []
    /// How connections ended.
    private(set) var closings: [APNsConnection.Closing] = []
    /// What was said where a connection was retired before it was of use.
    private(set) var retiredUseless: [String] = []
    /// How often the connection has been served.
    private(set) var turns = 0

    private let directory: TemporaryDirectory
    private let context: TLSContext
    private let resolver: (@Sendable () -> NameLookup.Result)?

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - streams: how many the server allows from the start.
    ///   - prepare: sets up the server.
    ///   - resolver: answers look-ups in place of the system's.
    init(
        streams: UInt32 = 1, _ prepare: (ScriptedApple) -> Void = { _ in },
        resolver: (@Sendable () -> NameLookup.Result)? = nil
    ) throws {
        directory = try TemporaryDirectory()
        apple = try ScriptedApple(in: directory)
        apple.connected = { $0.settings = [.maximumConcurrentStreams(streams)] }
        prepare(apple)
        context = try TLSContext.client(caFile: apple.authorityFile)
        self.resolver = resolver
        connection = try Self.connect(apple, context, resolver, now: now)
    }

    /// Begins another connection to the same server.
    func reconnect() throws { connection = try Self.connect(apple, context, resolver, now: now) }

    private static func connect(
        _ apple: ScriptedApple, _ context: TLSContext, _ resolver: (@Sendable () -> NameLookup.Result)?,
        now: Duration
    ) throws -> APNsConnection {
        let endpoint = Endpoint(host: "127.0.0.1", port: apple.port)
        let limits = ConnectionMachine.Limits()
        guard let resolver else {
            return try APNsConnection(to: endpoint, context: context, limits: limits, now: now)
        }
        return try APNsConnection(to: endpoint, context: context, limits: limits, now: now) {
            _ throws(SystemCallError) in try NameLookup(asking: resolver)
        }
    }

    /// The server's side of the newest connection.
    var peer: ScriptedApple.Connection {
        get throws { try #require(apple.connections.last) }
    }

    /// Lets both sides do what they can, and waits for what is on its way until `isDone`.
    func run(
        _ what: String = "the exchange", at location: SourceLocation = #_sourceLocation,
        until isDone: () throws -> Bool
    ) throws {
        let deadline = BootClock.now + .seconds(60)
        while try !isDone() {
            try turn(waitingAtMost: .milliseconds(20))
            try #require(BootClock.now < deadline, "waited in vain for \(what)", sourceLocation: location)
        }
    }

    /// One turn of both sides.
    func turn(waitingAtMost patience: Duration = .zero) throws {
        var poller = Poller()
        connection.watch(with: &poller)
        apple.watch(with: &poller)
        try poller.wait(timeout: patience)
        note(connection.service(poller, now: now))
        turns += 1
        try apple.pump()
    }

    /// Runs until the server's SETTINGS are in.
    func open() throws { try run("an open connection") { connection.machine.freeStreams > 0 } }

    /// Runs until each side has dealt with all that the other had sent before.
    func exchange() throws {
        let peer = try peer
        let before = peer.acknowledgedPings
        peer.ping()
        try run("the answer to a PING") { peer.acknowledgedPings > before || peer.ending != nil }
    }

    /// Submits pushes, as far as there is room.
    func push(_ deliveries: ClosedRange<Int64>) throws {
        for delivery in deliveries {
            try connection.submit(try Self.request(), delivery: delivery, providerToken: "token", now: now)
        }
        try connection.flush()
    }

    /// Lets time pass, and both sides act on it.
    func pass(_ time: Duration) throws {
        now += time
        try turn()
    }

    /// Pumps the server alone until something holds of its newest connection: the client looks elsewhere.
    func runServer(until isDone: (ScriptedApple.Connection) -> Bool) throws {
        let deadline = BootClock.now + .seconds(60)
        while try !isDone(peer) {
            try apple.pump()
            try #require(BootClock.now < deadline, "the server waited in vain")
        }
    }

    /// Ends our side.
    func close(_ reason: String = "test") { note(connection.close(reason: reason)) }

    private func note(_ events: [APNsConnection.Event]) {
        for event in events {
            switch event {
            case .ended(let delivery, let answer): answers.append((delivery, answer))
            case .retiredUseless(let reason): retiredUseless.append(reason)
            case .closed(let closing): closings.append(closing)
            }
        }
    }

    /// How many deliveries ended in each way.
    var summaries: [String: Int] { answers.reduce(into: [:]) { $0[$1.answer.summary, default: 0] += 1 } }

    /// What became of a delivery, as its row would call it; nil while nothing has.
    func summary(_ delivery: Int64) -> String? { answers.first { $0.delivery == delivery }?.answer.summary }

    private static func request() throws -> NotificationRequest {
        NotificationRequest(
            token: try #require(DeviceToken(bytes: Array(repeating: 0xA1, count: 32))),
            topic: "com.example.Mail", pushType: .alert, id: "5b0e1d6a-934c-5f27-a851-0cd73e62f419",
            expiration: 1_790_000_100, collapseID: "INBOX:4271",
            payload: NotificationPayload(
                pushType: .alert, message: MessageReference(folder: "INBOX", uid: 4271)))
    }
}
