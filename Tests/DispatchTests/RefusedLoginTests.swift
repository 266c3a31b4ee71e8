import Foundation
import JSON
import Posix
import Settings
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("A mail server that doesn't let dispatch in, or takes its time")
struct RefusedLoginTests {
    private let server: ScriptedIMAP
    private let bench: LoopBench

    init() throws {
        server = try ScriptedIMAP()
        bench = try LoopBench(mailServer: server)
        try bench.register(1)
    }

    /// Has a mail come whose wake goes within a time; gives the place that it names.
    private func ring(_ number: Int = 1, within limit: Duration) throws -> String {
        let (start, before) = (bench.time.boot, bench.apple.requests.count)
        let id = try bench.insertUnknown(for: number)
        server.file(id, for: "user\(number)", at: bench.wall)
        try bench.run(until: "a request") { bench.apple.requests.count > before }
        #expect(bench.time.boot - start < limit)
        return bench.apple.requests[before].place
    }

    /// What dispatch tells `doorbell status` of IMAP.
    private func status() throws -> JSONValue? {
        bench.dispatcher.report()
        let file = bench.dispatcher.configuration.queue.laneStatus
        let text = try JSONParser.parse(Array(Data(contentsOf: URL(fileURLWithPath: file))))
        return text["mail_servers"]?.array?.first
    }

    private func counts(_ fault: String) -> String {
        #"doorbell_dispatch_refused_logins_total{service="imap",fault="\#(fault)"} "#
    }

    @Test(
        "A wrong password, told after 2 s: one wait, one line with file and key, shown and counted until it is right"
    )
    func wrongPassword() throws {
        server.loginDelay = .seconds(2)
        server.manners["user1"] = .locksOut
        #expect(try ring(within: .milliseconds(600)) == "INBOX 0")
        #expect(try ring(within: .milliseconds(50)) == "INBOX 0")
        try bench.run(for: .seconds(3))
        let told = bench.told("login refused: ")
        #expect(told.count == 1)
        #expect(told[0].contains("doorbell.toml:"), "\(told)")
        let file = bench.directory.file("password")
        #expect(told[0].contains("dovecot.password_file: \(file): isn't Dovecot's password"))
        #expect(!bench.log.contains { $0.contains("user1") })
        #expect(try status()?["refusal"]?.string?.contains("isn't Dovecot's password") == true)
        #expect(bench.metrics.contains(counts("secret") + "1\n"))

        #expect(try ring(within: .milliseconds(50)) == "INBOX 0")
        server.manners["user1"] = .answers
        server.loginDelay = .zero
        try bench.run(for: .seconds(20))
        #expect(try ring(within: .milliseconds(100)) == "INBOX 4 of 1700000001")
        try bench.run(for: .milliseconds(10))
        #expect(bench.told("login refused no more").count == 1)
        #expect(try status()?["refusal"] == nil)
        #expect(server.connectionCount == 2)
    }

    @Test("A wrong password holds up three accounts for one bound each, and then nobody")
    func wrongPasswordForMany() throws {
        server.loginDelay = .seconds(2)
        for number in 1...6 {
            if number > 1 { try bench.register(number) }
            server.manners["user\(number)"] = .locksOut
        }
        for number in 1...3 { #expect(try ring(number, within: .milliseconds(600)) == "INBOX 0") }
        for number in 1...6 { #expect(try ring(number, within: .milliseconds(50)) == "INBOX 0") }
        try bench.run(for: .seconds(10))
        for number in 1...6 { #expect(try ring(number, within: .milliseconds(50)) == "INBOX 0") }
        #expect(server.connectionCount == 3)
        #expect(bench.told("login refused: ").count == 1)
        #expect(bench.told("isn't asked for uids for a while").count == 1)
    }

    @Test(
        "An account that Dovecot doesn't know is told once, shown and counted, and takes nothing from the others"
    )
    func unknownAccount() throws {
        try bench.register(2)
        server.manners["user1"] = .refuses
        for count in 1...5 {
            #expect(try ring(1, within: .milliseconds(100)) == "INBOX 0")
            #expect(try ring(2, within: .milliseconds(100)) == "INBOX \(count) of 1700000001")
        }
        #expect(bench.told("login refused: to 1 account, unknown to Dovecot").count == 1)
        #expect(!bench.log.contains { $0.contains("user1") })
        #expect(try status()?["refusal"]?.string?.hasPrefix("to 1 account") == true)
        #expect(bench.metrics.contains(counts("account") + "1\n"))
        #expect(bench.metrics.contains(counts("secret") + "0\n"))
        #expect(server.connectionCount == 2)
    }

    @Test("A login that is held up for 15 s costs one bound, and is used once it is there")
    func heldUp() throws {
        server.loginDelay = .seconds(15)
        #expect(try ring(within: .milliseconds(600)) == "INBOX 0")
        try bench.run(for: .seconds(10))
        #expect(try ring(within: .milliseconds(50)) == "INBOX 0")
        try bench.run(for: .seconds(6))
        #expect(try ring(within: .milliseconds(100)) == "INBOX 3 of 1700000001")
        #expect(server.connectionCount == 1)
    }

    @Test("A folder that takes longer than the bound to be opened isn't begun with again and again")
    func slowFolder() throws {
        server.delay = .milliseconds(200)
        bench.time.longestJump = .milliseconds(10)
        #expect(try ring(within: .milliseconds(600)) == "INBOX 0")
        try bench.run(for: .seconds(2))
        server.delay = .zero
        #expect(try ring(within: .milliseconds(100)) == "INBOX 2 of 1700000001")
        #expect(server.connectionCount == 1)
    }
}
