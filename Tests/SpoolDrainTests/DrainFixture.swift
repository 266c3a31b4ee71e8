import Foundation
import Posix
import SQLite
import TestSupport
import Testing

/// A spool, a queue and a configuration for the built `spool-drain`, and the places where a test looks afterwards.
///
/// The rescan is an hour unless a test says otherwise, so that whatever happens within a test's deadline was heard of.
final class DrainFixture {
    let directory: TemporaryDirectory
    let configuration: String
    private let trigger: TriggerFIFO

    init(spool: String = "", rescan: String = "1h", more: String = "") throws {
        directory = try TemporaryDirectory()
        for name in ["spool", "spool/new", "spool/corrupt", "state", "metrics"] {
            try FileManager.default.createDirectory(
                atPath: directory.file(name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        chmod(directory.file("spool/new"), 0o3733)
        trigger = try TriggerFIFO(path: directory.file("state/dispatch.wake"), mode: 0o660)
        configuration = try directory.write(
            "doorbell.toml",
            """
            [spool]
            directory = "\(directory.file("spool"))"
            rescan = "\(rescan)"
            \(spool)
            [queue]
            path = "\(directory.file("state/doorbell.db"))"
            [metrics]
            directory = "\(directory.file("metrics"))"
            \(more)
            """)
    }

    /// Starts the daemon, under strace where options for it are given, and waits until it drains.
    func start(strace: [String]? = nil) throws -> RunningProgram {
        let (program, arguments) = try command([], strace)
        let daemon = try RunningProgram(program, arguments)
        try daemon.waitForLine(containing: "drains \(directory.file("spool"))")
        return daemon
    }

    /// Runs `--once` to its end.
    func once(strace: [String]? = nil) throws -> RunningProgram.Result {
        let (program, arguments) = try command(["--once"], strace)
        return try RunningProgram.run(program, arguments)
    }

    private func command(_ arguments: [String], _ strace: [String]?) throws -> (String, [String]) {
        let program = try BuiltProgram.path("spool-drain")
        let arguments = ["--config", configuration] + arguments
        guard let strace else { return (program, arguments) }
        // Under a tracer the address sanitizer's search for leaks can't work.
        let noLeakCheck = ["-E", "ASAN_OPTIONS=detect_leaks=0"]
        // strace that is killed lets its program go; --pdeathsig ends that as well.
        let dying = ["/usr/bin/setpriv", "--pdeathsig", "KILL", program]
        return ("/usr/bin/strace", ["-qq", "-y"] + noLeakCheck + strace + dying + arguments)
    }

    /// What a drain has said, but for the line that it is root's, as whoever runs the tests may be.
    static func lines(of result: RunningProgram.Result) -> [Substring] {
        result.errors.split(separator: "\n").filter { !$0.contains(" warning: runs as root") }
    }

    /// The text of an entry of the user who runs the tests.
    static func entry(_ messageID: String = "<x@y>", user: String = NSUserName(), version: Int = 1) -> String
    {
        "{\"v\":\(version),\"user\":\"\(user)\",\"folder\":\"INBOX\",\"uid\":0,\"msg_id\":\"\(messageID)\",\"at\":1790000000000}\n"
    }

    /// The path of a name in `new`.
    func new(_ name: String) -> String { directory.file("spool/new/\(name)") }

    /// Publishes an entry as the contract has it: whole.
    func publish(_ name: String, _ text: String = entry(), mode: mode_t = 0o640) throws {
        let unpublished = directory.file("unpublished")
        try FileDescriptor.open(unpublished, O_CREAT | O_EXCL | O_WRONLY, mode: mode).writeAll(
            Array(text.utf8))
        #expect(rename(unpublished, new(name)) == 0)
    }

    /// Waits for the drain to tell dispatch that there is work; false when the time is over.
    func waitForTrigger(within timeout: Duration = .seconds(20)) throws -> Bool {
        var poller = Poller()
        let place = poller.add(trigger.rawValue)
        try poller.wait(timeout: timeout)
        trigger.empty()
        return poller.isReadable(place)
    }

    /// Waits until the spool is drained, but for what can't be.
    func waitUntilDrained(but kept: [String] = []) throws {
        while try names(in: "spool/new") != kept {
            // What is set aside pulls no trigger.
            let isTold = try waitForTrigger()
            guard try isTold || names(in: "spool/new") == kept else {
                Issue.record("not drained: \(try names(in: "spool/new"))")
                return
            }
        }
    }

    /// The spool names in the queue, oldest row first.
    func rows() throws -> [String] {
        let queue = try Connection(path: directory.file("state/doorbell.db"), busyTimeout: .seconds(20))
        return try queue.query("SELECT spool_name FROM notices ORDER BY id") { $0.text(0) }
    }

    /// The Message-IDs in the queue, oldest row first.
    func messageIDs() throws -> [String] {
        let queue = try Connection(path: directory.file("state/doorbell.db"), busyTimeout: .seconds(20))
        return try queue.query("SELECT message_id FROM notices ORDER BY id") { $0.text(0) }
    }

    /// The names in a directory, sorted.
    func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.file(folder)).sorted()
    }

    /// What is in corrupt/, the file of the reasons left out.
    func corrupt() throws -> [String] { try names(in: "spool/corrupt").filter { $0 != "reasons.log" } }

    /// The lines of corrupt/reasons.log.
    func reasons() throws -> [String] {
        try String(contentsOfFile: directory.file("spool/corrupt/reasons.log"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    /// How many notices the drain has counted from whoever runs the tests.
    func notices() throws -> Double? {
        try metrics()["doorbell_drain_notices_total{source=\"\(geteuid() == 0 ? "trusted" : "hook")\"}"]
    }

    /// Gives everything to a service user, as an installation has it; only root can.
    func giveAway(to user: uid_t) throws {
        for name in ["", "spool", "spool/new", "spool/corrupt", "state", "state/dispatch.wake", "metrics"] {
            try #require(chown(directory.file(name), user, user) == 0)
        }
        chmod(new(""), 0o3733)
    }

    /// The counters as the drain last wrote them.
    func metrics() throws -> [String: Double] {
        let file = directory.file("metrics/doorbell-drain.prom")
        return try ExpositionFormat(String(contentsOfFile: file, encoding: .utf8)).series
    }
}
