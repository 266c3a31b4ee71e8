import Foundation
import Posix
import Queue
import TestSupport
import Testing

/// The queue's file system fills up and is emptied again, while a daemon runs.
@Suite("No room for the queue")
struct QueueRoomTests {
    @Test("Entries wait in the spool, and the drain goes on by itself when there is room", Requires.root)
    func drain() throws {
        let bench = try TroubleBench()
        let drain = try bench.start(
            "spool-drain", wrapper: TroubleBench.mounting("-t tmpfs -o size=1m,mode=0700 none", bench.state))
        try drain.waitForLine(containing: "drains ")
        drain.fill(bench.state)
        try bench.publish("a")
        try drain.waitForLine(containing: "no space left for the queue; free some, nothing is lost")
        #expect(try bench.spool() == ["a"])
        try bench.publish("b")
        drain.empty(bench.state)
        try drain.waitForLine(containing: "works again")
        #expect(try bench.spool() == [])
        #expect(try bench.troubles("drain", "full") == 1)
        let read = try ExpositionFormat(bench.installation.metrics(of: "drain"))
        let source = geteuid() == 0 ? "trusted" : "hook"
        #expect(read.series["doorbell_drain_notices_total{source=\"\(source)\"}"] == 2)
        #expect(drain.errors.components(separatedBy: "no space left").count == 2)
    }

    @Test(
        "A daemon that finds no room when it starts ends with 74, and starts when there is some",
        Requires.root, arguments: ["spool-drain", "dispatch"])
    func start(program: String) throws {
        let bench = try TroubleBench()
        try bench.publish("a")
        let result = try bench.run(program, ["--once"], wrapper: TroubleBench.full(bench.state))
        #expect(result.ending == .exited(74), "\(result.errors)")
        #expect(result.errors.components(separatedBy: "no space left for the queue").count == 2)
        #expect(try bench.troubles(program == "dispatch" ? program : "drain", "full") == 1)
        #expect(try bench.run(program, ["--once"]).ending == .exited(0))
    }

    @Test("An answer waits for its note, and dispatch goes on by itself when there is room", Requires.root)
    func dispatch() throws {
        let bench = try TroubleBench(simulator: ["--answer", "* = 200 delay=1000"])
        let dispatch = try bench.start(
            "dispatch", wrapper: TroubleBench.mounting("-t tmpfs -o size=1m,mode=0700 none", bench.state))
        try dispatch.waitForLine(containing: "started")
        let beside = ["/usr/bin/nsenter", "--mount=/proc/\(dispatch.processIdentifier)/ns/mnt"]
        let token = String(repeating: "a1", count: 32)
        #expect(
            try bench.run(
                "doorbell", ["device", "add", "--user", NSUserName()], wrapper: beside, input: token
            )
            .ending == .exited(0))
        try bench.publish("a")
        #expect(try bench.run("spool-drain", ["--once"], wrapper: beside).ending == .exited(0))
        try bench.installation.apple.waitForRequests(1)
        dispatch.fill(bench.state)
        try dispatch.waitForLine(containing: "no space left for the queue; free some, nothing is lost")
        #expect(!dispatch.errors.contains(": sent, accepted"))
        dispatch.empty(bench.state)
        try dispatch.waitForLine(containing: ": sent, accepted")
        try dispatch.waitForLine(containing: "queue: works again")
        #expect(try bench.run("doorbell", ["status"], wrapper: beside).output.contains("sent"))
        #expect(bench.installation.apple.requests.count == 1)
        dispatch.send(SIGTERM)
        #expect(try dispatch.waitForEnd() == .exited(0))
        #expect(try (bench.troubles("dispatch", "full") ?? 0) > 0)
    }

    @Test("A user's quota that is used up counts as a full disk")
    func quota() throws {
        let bench = try TroubleBench()
        try bench.register()
        try bench.publish("a")
        let drain = try bench.run("spool-drain", ["--once"], wrapper: bench.failing("pwrite64", "EDQUOT"))
        #expect(drain.ending == .exited(75))
        #expect(drain.errors.contains("no space left for the queue"))
        #expect(try bench.troubles("drain", "full") == 1)
        #expect(try bench.spool() == ["a"])
        let doorbell = try bench.run(
            "doorbell", ["device", "remove", "1"], wrapper: bench.failing("pwrite64", "EDQUOT"))
        #expect(doorbell.ending == .exited(74))
        #expect(
            doorbell.errors.hasPrefix("doorbell: \(bench.installation.queue): no space left for the queue"))
        #expect(try bench.run("spool-drain", ["--once"]).ending == .exited(0))
        #expect(try bench.store().counts(now: .now).waiting == 1)
        #expect(try bench.store().counts(now: .now).liveDevices == 1)
    }
}
