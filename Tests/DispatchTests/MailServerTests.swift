import Posix
import Queue
import Resolution
import Testing

@testable import DispatchCommand

@Suite("A mail server that is silent, slow or down, or is asked for many at once")
struct MailServerTests {
    private let server: ScriptedIMAP
    private let bench: LoopBench

    init() throws {
        server = try ScriptedIMAP()
        bench = try LoopBench(mailServer: server)
        try bench.register(1)
    }

    @Test("A server that says nothing costs one wait of 500 ms; then nobody waits, until it answers again")
    func silent() throws {
        server.isSilent = true
        let start = bench.time.boot
        try bench.insertUnknown()
        try bench.run(untilRequests: 1)
        let first = bench.time.boot - start
        #expect(first >= .milliseconds(500) && first < .milliseconds(600))
        #expect(bench.apple.places == ["INBOX 0"])
        let told = "imap isn't asked for uids for a while: 127.0.0.1:\(server.port): no answer in time"
        #expect(bench.told(told).count == 1)

        let second = bench.time.boot
        try bench.insertUnknown()
        try bench.run(untilRequests: 2)
        #expect(bench.time.boot - second < .milliseconds(50))
        #expect(bench.apple.places == ["INBOX 0", "INBOX 0"])
        bench.dispatcher.report()
        #expect(bench.metrics.contains(#"doorbell_dispatch_resolution_paused{service="imap"} 1"#))

        server.isSilent = false
        try bench.run(for: .seconds(2))
        let id = try bench.insertUnknown()
        server.file(id, for: "user1", at: bench.wall)
        try bench.run(untilRequests: 3)
        #expect(bench.apple.places.last == "INBOX 1 of 1700000001")
        #expect(bench.told("imap is asked for uids again").count == 1)
        let sources = try bench.store.wakes(of: "user1", limit: 9).map(\.uidSource)
        #expect(sources == ["message_id", "unavailable", "out_of_time"])
        bench.dispatcher.report()
        for line in [
            #"doorbell_dispatch_resolution_paused{service="imap"} 0"#,
            #"doorbell_dispatch_resolutions_total{by="none",result="out_of_time"} 1"#,
            #"doorbell_dispatch_resolutions_total{by="none",result="unavailable"} 1"#,
            #"doorbell_dispatch_resolutions_total{by="message_id",result="found"} 1"#,
            "doorbell_dispatch_resolution_seconds_count 3",
        ] { #expect(bench.metrics.contains(line + "\n"), "\(line)") }
    }

    @Test("A server that refuses connections costs nothing")
    func down() throws {
        server.goDown()
        let start = bench.time.boot
        try bench.insertUnknown()
        try bench.run(untilRequests: 1)
        #expect(bench.time.boot - start < .milliseconds(50))
        #expect(bench.apple.places == ["INBOX 0"])
        let told = bench.told(
            "imap isn't asked for uids for a while: 127.0.0.1:\(server.port): Connection refused; "
                + "is Dovecot running?")
        #expect(told.count == 1)
    }

    @Test("A connection that the server closed meanwhile is opened anew, and costs no uid")
    func restarted() throws {
        let first = try bench.insertUnknown()
        server.file(first, for: "user1", at: bench.wall)
        try bench.run(untilRequests: 1)
        server.goDown()
        try server.comeBack()
        let second = try bench.insertUnknown()
        server.file(second, for: "user1", at: bench.wall)
        try bench.run(untilRequests: 2)
        #expect(bench.apple.places == ["INBOX 1 of 1700000001", "INBOX 2 of 1700000001"])
    }

    @Test("A slow server is waited for as long as the bound lets it", arguments: [("500ms", 0), ("2s", 1)])
    func slow(bound: String, uid: Int) throws {
        let server = try ScriptedIMAP()
        let bench = try LoopBench(mailServer: server, bound: bound)
        try bench.register(1)
        server.delay = .milliseconds(100)
        bench.time.longestJump = .milliseconds(10)
        let start = bench.time.boot
        let id = try bench.insertUnknown()
        server.file(id, for: "user1", at: bench.wall)
        try bench.run(until: "a request") { !bench.apple.requests.isEmpty }
        #expect(bench.apple.requests[0].uid == uid)
        #expect(bench.time.boot - start < (uid == 0 ? .milliseconds(600) : .milliseconds(1000)))
    }

    @Test("One account that hangs delays nobody else's wakes, and of its own 64 at most are in hand")
    func hangingAccount() throws {
        try bench.register(2)
        server.manners["user1"] = .hangs
        let start = bench.time.boot
        for _ in 0..<100 { try bench.insertUnknown(for: 1) }
        let id = try bench.insertUnknown(for: 2)
        server.file(id, for: "user2", at: bench.wall)
        try bench.run(untilRequests: 1)
        #expect(bench.time.boot - start < .milliseconds(100))
        #expect(bench.apple.places == ["INBOX 1 of 1700000001"])
        #expect(bench.dispatcher.resolver.inHand.count == 64)
        // A device hears of a folder 20 times at once.
        try bench.run(untilRequests: 21)
        #expect(bench.time.boot - start < .milliseconds(1200))
        #expect(bench.apple.places.dropFirst().allSatisfy { $0 == "INBOX 0" })
        #expect(bench.told("isn't asked").isEmpty)
    }

    @Test("Answers have nobody look through the queue again, unless an account has all its places taken")
    func looks() throws {
        for _ in 1...3 { server.file(try bench.insertUnknown(), for: "user1", at: bench.wall) }
        var held = 0
        try bench.run(until: "three requests") {
            let holds = bench.dispatcher.resolver.inHand.count
            if holds < held { #expect(!bench.dispatcher.timetable.noticesMayWait) }
            held = holds
            return bench.apple.requests.count == 3
        }
    }

    @Test("What is ready beyond a batch waits for nothing")
    func readyBatches() throws {
        server.isSilent = true
        for number in 1...5 {
            try bench.register(number)
            for _ in 1...60 { try bench.insertUnknown(for: number) }
        }
        var mostReady = 0
        try bench.run(until: "all are decided") {
            let ready = bench.dispatcher.resolver.ready(limit: 300).count
            #expect(ready == 0 || bench.dispatcher.timetable.noticesMayWait)
            mostReady = max(mostReady, ready)
            return try bench.store.counts(now: bench.wall).waiting == 0
        }
        #expect(mostReady == 100)
    }

    @Test("Forty accounts share 32 connections, the oldest idle one giving way")
    func connections() throws {
        for number in 2...40 { try bench.register(number) }
        for number in 1...40 {
            server.file(try bench.insertUnknown(for: number), for: "user\(number)", at: bench.wall)
        }
        try bench.run(until: "forty requests") {
            #expect(bench.dispatcher.resolver.connections(to: .imap) <= 32)
            return bench.apple.requests.count >= 40
        }
        #expect(bench.apple.places.allSatisfy { $0 == "INBOX 1 of 1700000001" })
        #expect(server.connectionCount == 40)
    }
}
