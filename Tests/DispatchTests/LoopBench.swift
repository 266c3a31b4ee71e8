import APNs
import Foundation
import Posix
import Queue
import Reporting
import Settings
import Synchronization
import TLS
import TestSupport

@testable import DispatchCommand

/// The dispatcher's own loop in the test's thread, between a real queue and a scripted Apple, by a clock of its own.
final class LoopBench {
    let directory: TemporaryDirectory
    let apple: ScriptedApple
    let store: QueueStore
    let dispatcher: Dispatcher
    let time: ManualTime
    private let lines = Lines()

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// A test that waits for what doesn't come.
    struct NeverHappened: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - queue: more keys of `[queue]`.
    ///   - mailServer: who is asked for uids.
    ///   - bound: how long a wake waits for its uid.
    init(queue: String = "", mailServer: ScriptedIMAP? = nil, bound: String = "500ms") throws {
        directory = try TemporaryDirectory()
        let apple = try ScriptedApple(in: directory)
        self.apple = apple
        let key = try SigningKey.generate().pem
        let keyFile = try directory.write("key.p8", String(decoding: key, as: UTF8.self))
        chmod(keyFile, 0o400)
        for name in ["state", "metrics"] {
            try FileManager.default.createDirectory(
                atPath: directory.file(name), withIntermediateDirectories: false)
        }
        let password = try directory.write("password", "secret\n", mode: 0o400)
        let dovecot = mailServer.map { server in
            """
            [dovecot]
            imap = "127.0.0.1:\(server.port)"
            master_user = "doorbell"
            password_file = "\(password)"
            bound = "\(bound)"
            """
        }
        let file = try directory.write(
            "doorbell.toml",
            """
            [queue]
            path = "\(directory.file("state/doorbell.db"))"
            \(queue)
            [push]
            enabled = true
            key_file = "\(keyFile)"
            key_id = "ABC123DEFG"
            team_id = "ZCNAX3VL9D"
            topic = "com.example.Mail"
            [metrics]
            directory = "\(directory.file("metrics"))"
            \(dovecot ?? "")
            """)
        let configuration = try Configuration.load(file)
        store = try .unlocked(path: configuration.queue.path, busyTimeout: .milliseconds(50))
        let time = ManualTime(apple: apple)
        time.mailServer = mailServer
        mailServer?.clock = { time.boot }
        self.time = time
        let clocks = time.clocks
        let address = "127.0.0.1:\(apple.port)"
        let provider = try configuration.push.map { push in
            try Provider(
                push: push, tokenFile: configuration.queue.providerToken,
                overrides: Provider.Overrides(
                    host: "production=\(address),sandbox=\(address)",
                    certificateAuthority: apple.authorityFile),
                previous: nil, clocks: clocks)
        }
        let secret = try store.secret()
        let lines = lines
        let dispatcher = Dispatcher(
            configuration: configuration,
            store: try .unlocked(path: configuration.queue.path, busyTimeout: .milliseconds(50)),
            provider: provider, dovecot: try Dovecot(configuration.dovecot),
            fanOut: FanOut(
                expiration: configuration.queue.expiration,
                keyedHash: { Hash.hmacSHA256(key: secret, $0) }, sha1: { Hash.sha1($0) }),
            clocks: clocks,
            log: Log(program: "dispatch") { line in
                lines.all.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            })
        self.dispatcher = dispatcher
        time.connections = { [unowned dispatcher] in dispatcher.lanes.values.flatMap(\.connections) }
        time.asksMailServer = { [unowned dispatcher] in dispatcher.resolver.openQuestions > 0 }
    }

    /// With as many wakes as may go at once for each of so many phones.
    convenience init(phones: Int) throws {
        try self.init()
        for phone in 1...phones {
            try register(phone)
            try insert(20, for: phone)
        }
    }

    /// What the wall clock shows.
    var wall: WallTime { time.wall }

    /// Everything the log was told.
    var log: [String] { lines.all.withLock { $0 } }

    /// The counters as last written.
    var metrics: String {
        (try? String(contentsOfFile: directory.file("metrics/doorbell-dispatch.prom"), encoding: .utf8)) ?? ""
    }

    /// Registers a device for a user named after it.
    @discardableResult
    func register(_ number: Int, environment: String = "production", topic: String = "com.example.Mail")
        throws
        -> Int64
    {
        let token = withUnsafeBytes(of: UInt64(number).bigEndian, Array.init)
        return try store.register(
            DeviceRegistration(
                user: "user\(number)", token: [UInt8](repeating: 0xA5, count: 24) + token, topic: topic,
                environment: environment, enabledFolders: ["*"]), now: wall)
    }

    /// Inserts a mail whose uid isn't known; gives its Message-ID.
    @discardableResult
    func insertUnknown(
        _ name: String = UUID().uuidString, for number: Int = 1, folder: String = "INBOX",
        filed: String? = nil,
        hint: UInt32? = nil
    ) throws -> String {
        let notice = NewNotice(
            ownerUID: 1000, spoolName: Array("\(number)-\(UUID())".utf8), user: "user\(number)",
            folder: folder,
            uid: 0, uidValidity: nil, uidHint: hint, filed: filed, messageID: "<\(name)@example.org>",
            at: wall)
        _ = try store.insert([notice], now: wall)
        return notice.messageID
    }

    /// Inserts mails for a user, with uids from `first` on.
    func insert(_ count: Int = 1, for number: Int, first: Int = 1, folder: String = "INBOX") throws {
        _ = try store.insert(
            (0..<count).map { index in
                NewNotice(
                    ownerUID: 1000, spoolName: Array("\(number)-\(UUID())".utf8), user: "user\(number)",
                    folder: folder, uid: UInt32(first + index), uidValidity: nil, uidHint: nil, filed: nil,
                    messageID: "", at: wall)
            }, now: wall)
    }

    /// Turns the loop until something is so, or the clock has run for too long.
    func run(until what: String, within limit: Duration = .seconds(7200), _ isSo: () throws -> Bool) throws {
        let end = time.boot + limit
        while !(try isSo()) {
            guard time.boot < end else {
                throw NeverHappened(description: "\(what): not in time\n\(log.suffix(30))")
            }
            try dispatcher.turn()
            _ = try dispatcher.wait(-1, -1)
        }
    }

    /// Turns the loop for a span of its clock.
    func run(for span: Duration) throws {
        let end = time.boot + span
        try run(until: "the end of a span", within: span + .seconds(60)) { time.boot >= end }
    }

    /// Sets the clock forward without a turn, as when the machine slept.
    func sleep(_ span: Duration) { time.boot += span }
}
