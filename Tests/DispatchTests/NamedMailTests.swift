import HTTP2
import Posix
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("No mail is named for two notices, and no guess given twice")
struct NamedMailTests {
    @Test("Where nobody is asked a hint serves one mail, and no collapse id is made of it")
    func hint() throws {
        let bench = try LoopBench()
        try bench.register(1)
        try bench.insertUnknown(hint: 7)
        try bench.insertUnknown(hint: 7)
        try bench.run(until: "two requests") { bench.apple.requests.count == 2 }
        #expect(bench.apple.requests.map(\.place) == ["INBOX 7", "INBOX 0"])
        let collapseIDs = bench.apple.requests.compactMap { $0.headers["apns-collapse-id"] }
        #expect(Set(collapseIDs).count == 2)
        #expect(collapseIDs.allSatisfy { $0.count == 32 })
    }

    @Test("What was named before a new start, or SIGHUP, isn't named again: neither a guess nor a found copy")
    func restarted() throws {
        let server = try ScriptedIMAP()
        let bench = try LoopBench(mailServer: server)
        try bench.register(1)
        let id = try bench.insertUnknown("twice")
        server.file(id, for: "user1", at: bench.wall)
        try bench.run(until: "a request") { bench.apple.requests.count == 1 }
        func startAnew(asking dovecot: Dovecot?) {
            bench.dispatcher.adopt(
                Dispatcher.Renewal(
                    configuration: bench.dispatcher.configuration, provider: bench.dispatcher.provider,
                    dovecot: dovecot))
        }
        let dovecot = bench.dispatcher.resolver.dovecot
        startAnew(asking: dovecot)
        try bench.insertUnknown("twice")
        try bench.run(until: "a second request") { bench.apple.requests.count == 2 }
        for _ in 1...2 {
            startAnew(asking: nil)
            let before = bench.apple.requests.count
            try bench.insertUnknown(hint: 7)
            try bench.run(until: "a request") { bench.apple.requests.count > before }
        }
        #expect(
            bench.apple.requests.map(\.place) == [
                "INBOX 1 of 1700000001", "INBOX 0", "INBOX 7", "INBOX 0",
            ])
    }
}
