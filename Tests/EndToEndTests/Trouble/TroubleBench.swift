import Foundation
import Posix
import Queue
import TestSupport
import Testing

/// An installation with a device of this user's, whose programs get into trouble with disk and database.
struct TroubleBench {
    let installation: Installation

    var state: String { installation.directory.file("state") }

    init(simulator: [String] = []) throws { installation = try Installation(simulator: simulator) }

    /// Opens the queue.
    func store() throws -> QueueStore { try .unlocked(path: installation.queue, busyTimeout: .seconds(20)) }

    /// Registers the device.
    func register() throws {
        _ = try store().register(
            DeviceRegistration(
                user: NSUserName(), token: [UInt8](repeating: 0xA1, count: 32), topic: "com.example.Mail",
                environment: "production"), now: .now)
    }

    /// Publishes an entry, whole.
    func publish(_ name: String) throws {
        let text =
            "{\"v\":1,\"user\":\"\(NSUserName())\",\"folder\":\"INBOX\",\"uid\":0,\"msg_id\":\"<\(name)@y>\",\"at\":\(WallTime.now.milliseconds)}\n"
        let unpublished = installation.directory.file("unpublished")
        try Data(text.utf8).write(to: URL(fileURLWithPath: unpublished))
        #expect(rename(unpublished, "\(installation.newEntries)/\(name)") == 0)
    }

    /// The names in the spool.
    func spool() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: installation.newEntries).sorted()
    }

    /// Waits until a drain has taken all that is in the spool; no dispatch may run beside it, for its trigger is heard.
    func waitUntilDrained() throws {
        let trigger = try TriggerFIFO(path: "\(state)/dispatch.wake", mode: 0o660)
        while try !spool().isEmpty {
            var poller = Poller()
            let place = poller.add(trigger.rawValue)
            try poller.wait(timeout: .seconds(20))
            try #require(poller.isReadable(place), "the drain has taken nothing for 20 s")
            trigger.empty()
        }
    }

    /// How many wakes were sent.
    func sent() throws -> Int64 {
        try store().counts(now: .now).ends.filter { $0.end == "sent" }.reduce(0) { $0 + $1.count }
    }

    /// The command of a program, led in by another one such as strace(1).
    private func command(_ program: String, _ arguments: [String], _ wrapper: [String]) throws -> [String] {
        wrapper + [try BuiltProgram.path(program), "--config", installation.configuration] + arguments
    }

    private var environment: [String: String] {
        // Under a tracer a sanitizer's search for leaks can't work.
        installation.environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { $1 }
    }

    /// Starts a daemon.
    func start(_ program: String, _ arguments: [String] = [], wrapper: [String] = []) throws -> RunningProgram
    {
        let command = try command(program, arguments, wrapper)
        return try RunningProgram(command[0], Array(command[1...]), environment: environment)
    }

    /// Runs a program to its end.
    func run(_ program: String, _ arguments: [String], wrapper: [String] = [], input: String? = nil) throws
        -> RunningProgram.Result
    {
        let command = try command(program, arguments, wrapper)
        return try RunningProgram.run(
            command[0], Array(command[1...]), environment: environment,
            input: input.map { Data($0.utf8) })
    }

    /// How often a daemon has counted a kind of trouble.
    func troubles(_ daemon: String, _ kind: String) throws -> Double? {
        try ExpositionFormat(installation.metrics(of: daemon))
            .series["doorbell_\(daemon)_troubles_total{trouble=\"\(kind)\"}"]
    }

    /// Has strace(1) make every call of this name on the queue's log fail.
    func failing(_ call: String, _ errno: String) -> [String] {
        [
            "/usr/bin/strace", "-qq", "-o", "/dev/null", "-P", "\(installation.queue)-wal", "-e",
            "trace=\(call)",
            "-e", "inject=\(call):error=\(errno)",
        ]
    }

    /// Runs a program in a namespace of mounts where this is mounted over a directory.
    static func mounting(_ options: String, _ directory: String) -> [String] {
        [
            "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
            "mount \(options) \"$0\" && exec \"$@\"", directory,
        ]
    }

    /// Runs a program where a directory is a file system without room.
    static func full(_ directory: String) -> [String] {
        let script = """
            mount -t tmpfs -o size=64k,mode=0700 none "$0" && cat /dev/zero 2>/dev/null >"$0/filler"
            exec "$@"
            """
        return ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, directory]
    }

    /// Runs a program where a directory can't be written to.
    static func readOnly(_ directory: String) -> [String] {
        [
            "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
            "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"", directory,
        ]
    }
}

extension RunningProgram {
    /// Where a path of its namespace of mounts is, seen from outside.
    private var root: String { "/proc/\(processIdentifier)/root" }

    /// Sets its limit of open files.
    func limitFiles(to count: Int) throws {
        _ = try RunningProgram.run(
            "/usr/bin/prlimit", ["--pid", "\(processIdentifier)", "--nofile=\(count):"])
    }

    /// Uses up the room of a file system that it sees.
    func fill(_ directory: String) {
        let filler = open("\(root)\(directory)/filler", O_WRONLY | O_CREAT, 0o600)
        let zeros = [UInt8](repeating: 0, count: 4096)
        while write(filler, zeros, zeros.count) > 0 {}
        close(filler)
    }

    /// Gives it back.
    func empty(_ directory: String) { unlink("\(root)\(directory)/filler") }
}
