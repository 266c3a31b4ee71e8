import HTTP2
import JSON
import Posix
import Queue
import Resolution
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("The loop finds out where a mail lies before its wake goes out")
struct ResolutionLoopTests {
    private let server: ScriptedIMAP
    private let bench: LoopBench

    init() throws {
        server = try ScriptedIMAP()
        bench = try LoopBench(mailServer: server)
        try bench.register(1)
    }

    @Test(
        "By its Message-ID: folder, uid and UIDVALIDITY reach the phone, and the collapse id names the mail")
    func messageID() throws {
        server.file("<other@example.org>", for: "user1", at: bench.wall)
        let id = try bench.insertUnknown()
        let uid = server.file(id, for: "user1", at: bench.wall)
        try bench.run(untilRequests: 1)
        #expect(uid == 2)
        #expect(bench.apple.places == ["INBOX 2 of 1700000001"])
        #expect(bench.apple.requests[0].headers["apns-collapse-id"] == "INBOX:2")
    }

    @Test(
        "By the name of its file, though it has no Message-ID; one connection serves all of an account's mail"
    )
    func filed() throws {
        server.file(guid: "1790.M1P1.host", for: "user1", at: bench.wall)
        try bench.insertUnknown("absent", filed: "1790.M1P1.host:2,S")
        try bench.run(untilRequests: 1)
        #expect(bench.apple.places == ["INBOX 1 of 1700000001"])
        let second = try bench.insertUnknown()
        server.file(second, for: "user1", at: bench.wall)
        try bench.run(untilRequests: 2)
        #expect(bench.apple.places.last == "INBOX 2 of 1700000001")
        #expect(server.connectionCount == 1)
        #expect(
            server.commands == [
                "user1 AUTHENTICATE PLAIN", "user1 NAMESPACE", #"user1 EXAMINE "INBOX""#,
                #"user1 UID SEARCH UID 1:* X-GUID "1790.M1P1.host""#, "user1 NOOP",
                #"user1 UID SEARCH UID 1:* HEADER Message-ID "\#(second)""#,
                "user1 UID FETCH 2 (UID INTERNALDATE BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]<0.1024>)",
            ])
    }

    @Test("A mail that its notice is ahead of is looked for again, and found")
    func later() throws {
        server.file("<other@example.org>", for: "user1", at: bench.wall)
        bench.time.longestJump = .milliseconds(5)
        let start = bench.time.boot
        let id = try bench.insertUnknown()
        try bench.run(for: .milliseconds(130))
        server.file(id, for: "user1", at: bench.wall)
        try bench.run(untilRequests: 1)
        #expect(bench.apple.places == ["INBOX 2 of 1700000001"])
        #expect(bench.time.boot - start < .milliseconds(500))
    }

    @Test("Nobody is asked about mail that rings no device, nor about stale mail")
    func unasked() throws {
        try bench.insertUnknown(for: 9)
        try bench.run(until: "its end") { try bench.ended(.dropped, "no_device") == 1 }
        try bench.insertUnknown()
        bench.sleep(.seconds(7200))
        try bench.run(untilRequests: 1)
        #expect(bench.apple.places == ["INBOX 0"])
        #expect(server.commands.isEmpty)
    }

    @Test("What is in resolution at a stop is undecided, and is looked for after the next start")
    func stopped() throws {
        server.isSilent = true
        try bench.insertUnknown()
        try bench.run(until: "a question") { bench.dispatcher.resolver.openQuestions == 1 }
        bench.dispatcher.stop.stopRequested(now: bench.time.boot)
        for _ in 0..<10 {
            try bench.dispatcher.turn()
            _ = try bench.dispatcher.wait(-1, -1)
        }
        #expect(try bench.store.counts(now: bench.wall).waiting == 1)
        #expect(bench.dispatcher.stop.shouldEnd(inHand: bench.dispatcher.inHand, now: bench.time.boot))
    }

    @Test("A new configuration takes up anew what was in resolution; without [dovecot] it goes at once")
    func renewed() throws {
        server.isSilent = true
        try bench.insertUnknown()
        try bench.run(until: "a question") { bench.dispatcher.resolver.openQuestions == 1 }
        let start = bench.time.boot
        bench.dispatcher.adopt(
            Dispatcher.Renewal(
                configuration: bench.dispatcher.configuration, provider: bench.dispatcher.provider,
                dovecot: nil))
        try bench.run(untilRequests: 1)
        #expect(bench.time.boot - start < .milliseconds(50))
        #expect(bench.apple.places == ["INBOX 0"])
    }

    @Test(
        "What was found stands in the queue before the first request, so that another try names the same mail"
    )
    func committed() throws {
        bench.apple.requested = { $0.answer(503, reason: "ServiceUnavailable") }
        server.file(try bench.insertUnknown(), for: "user1", at: bench.wall)
        try bench.run(untilRequests: 1)
        server.goDown()
        bench.apple.requested = { $0.answer() }
        try bench.run(untilRequests: 2)
        #expect(bench.apple.places == ["INBOX 1 of 1700000001", "INBOX 1 of 1700000001"])
        #expect(bench.apple.requests[0].body == bench.apple.requests[1].body)
    }
}
