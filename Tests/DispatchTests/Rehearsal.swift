import Foundation
import Posix
import Queue
import SQLite
import TestSupport

/// A script of the guide to outages, played to a running dispatch.
struct Rehearsal {
    /// What the guide has a script for, by what it says above it.
    enum Scene: String, CaseIterable {
        case down = "Apple is down, and comes back."
        case silent = "Apple is there and says nothing."
        case restarted = "Apple is being restarted."
        case overloaded = "Apple is overloaded."
        case failing = "Apple's servers fail."
        case revoked = "The key has been revoked."
        case phones = "One phone is gone, one is told to wait."
        case clocks = "The clocks differ by an hour."
    }

    /// A scene that doesn't come to its end.
    struct Unfinished: Error, CustomStringConvertible {
        let lastLines: String
        var description: String { "not in time; the last lines: \(lastLines)" }
    }

    let queue: TestQueue
    let dispatch: RunningProgram
    let installation: Installation
    private let wakes: Int
    private let directory: TemporaryDirectory

    /// Starts everything with so many wakes for each device, whose tokens start with these bytes.
    init(_ scene: Scene, wakes: Int, devices: [[UInt8]] = [[0xA1]]) throws {
        directory = try TemporaryDirectory()
        let script = try Self.scripts()[scene.rawValue] ?? ""
        installation = try Installation(simulator: ["--script", directory.write("outage.txt", script)])
        queue = try TestQueue(installation)
        for start in devices {
            let device = DeviceRegistration(
                user: "alice", token: start + [UInt8](repeating: 0, count: 32 - start.count),
                topic: "com.example.Mail", environment: "production", enabledFolders: ["*"])
            _ = try queue.store.register(device, now: .now)
        }
        try queue.insert(wakes)
        self.wakes = wakes * devices.count
        dispatch = try installation.start("dispatch")
    }

    /// The guide's scripts, by what stands in bold letters before each.
    static func scripts() throws -> [String: String] {
        let guide = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/outage-rehearsal.md")
        let text = try String(contentsOf: guide, encoding: .utf8)
        let scenes = text.matches(of: /\n\*\*(?<title>[^*]+)\*\*[^`*]*```\n(?<script>[^`]+)```/)
        return Dictionary(uniqueKeysWithValues: scenes.map { (String($0.title), String($0.script)) })
    }

    /// Waits until every wake is sent; sends SIGHUP at each pause, as the guide advises to whom waiting takes too long.
    func finish() throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        var (pauses, seen) = (0, 0)
        while try queue.ended(.sent) < wakes {
            guard deadline > .now else { throw Unfinished(lastLines: String(dispatch.errors.suffix(2_000))) }
            let paused = dispatch.errors.components(separatedBy: ": paused, ").count - 1
            if paused > pauses { dispatch.send(SIGHUP) }
            pauses = paused
            seen = dispatch.waitForNews(beyond: seen, within: 1)
        }
    }

    /// Waits until `doorbell status` says this: the log is a moment ahead of it.
    func waitForStatus(_ text: String) throws {
        let deadline = Date(timeIntervalSinceNow: 30)
        while true {
            let status = try installation.run("doorbell", ["status"]).output
            if status.contains(text) { return }
            guard deadline > .now else { throw Unfinished(lastLines: status) }
        }
    }

    /// How many tries the wake that took most was charged.
    func mostAttempts() throws -> Int64 {
        let connection = try Connection(path: installation.queue, busyTimeout: .seconds(5))
        return try connection.first("SELECT max(attempts) FROM deliveries") { $0.integer(0) } ?? 0
    }

    /// How many connections the simulator has had.
    var connections: Int { events("connected") }

    /// How often a connection's record has told this.
    func events(_ name: String) -> Int {
        installation.apple.program.output.components(separatedBy: #""event":"\#(name)""#).count - 1
    }
}
