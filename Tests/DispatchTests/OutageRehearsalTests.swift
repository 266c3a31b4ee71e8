import Foundation
import JSON
import Queue
import TestSupport
import Testing

@Suite("The guide to outages comes true")
struct OutageRehearsalTests {
    @Test("each of its scripts is rehearsed here")
    func all() throws {
        #expect(try Set(Rehearsal.scripts().keys) == Set(Rehearsal.Scene.allCases.map(\.rawValue)))
    }

    @Test("down and back: every rejection pauses the lane, none is charged, and all is sent")
    func down() throws {
        let rehearsal = try Rehearsal(.down, wakes: 200)
        try rehearsal.finish()
        #expect(rehearsal.events("reject") == 10)
        #expect(rehearsal.connections == 12)
        #expect(try rehearsal.mostAttempts() <= 2)
    }

    @Test("silence: the connection is left after twenty seconds, and all is sent by another")
    func silent() throws {
        let rehearsal = try Rehearsal(.silent, wakes: 30)
        let start = Date.now
        try rehearsal.dispatch.waitForLine(containing: "nothing heard in time", within: 40)
        #expect((18..<30).contains(Date.now.timeIntervalSince(start)))
        try rehearsal.finish()
        #expect(rehearsal.connections == 2)
    }

    @Test("restart: by four connections all is sent, and each wake is charged once")
    func restarted() throws {
        let rehearsal = try Rehearsal(.restarted, wakes: 200)
        try rehearsal.finish()
        #expect(rehearsal.connections == 4)
        #expect(try rehearsal.mostAttempts() == 1)
        #expect(!rehearsal.dispatch.errors.contains("paused"))
    }

    @Test("overload: streams are kept to, a refused request isn't charged, and a second connection is opened")
    func overloaded() throws {
        let rehearsal = try Rehearsal(.overloaded, wakes: 150)
        try rehearsal.finish()
        let requests = rehearsal.installation.apple.requests
        #expect(requests.allSatisfy { $0.openStreams <= 100 })
        #expect(requests.contains { $0.record["reset"]?.string == "REFUSED_STREAM" })
        #expect(try rehearsal.mostAttempts() == 1)
        #expect((2...4).contains(rehearsal.connections))
    }

    @Test("failing servers: the tenth 503 in a row pauses the lane")
    func failing() throws {
        let rehearsal = try Rehearsal(.failing, wakes: 200)
        try rehearsal.dispatch.waitForLine(containing: ": paused, 503 ServiceUnavailable")
        let refused = rehearsal.installation.apple.requests.filter { $0.status == 503 }
        #expect(refused.count >= 10)
    }

    @Test("a revoked key: its reason is in the log and the status, and SIGHUP tries at once")
    func revoked() throws {
        let rehearsal = try Rehearsal(.revoked, wakes: 1)
        try rehearsal.dispatch.waitForLine(containing: ": paused, 403 InvalidProviderToken")
        try rehearsal.waitForStatus("403 InvalidProviderToken")
        try rehearsal.finish()
        #expect(rehearsal.connections == 3)
    }

    @Test("phones: the one that is gone is removed, one waits, and another rings")
    func phones() throws {
        let rehearsal = try Rehearsal(.phones, wakes: 1, devices: [[0x00, 0xFC], [0x9F, 0x86], [0xA1]])
        try rehearsal.dispatch.waitForLine(containing: "device 1: removed, Unregistered")
        try rehearsal.dispatch.waitForLine(containing: "to device 2: deferred, TooManyRequests")
        try rehearsal.dispatch.waitForLine(containing: "to device 3: sent")
    }

    @Test("clocks: the log names the difference, once")
    func clocks() throws {
        let rehearsal = try Rehearsal(.clocks, wakes: 50)
        try rehearsal.finish()
        rehearsal.dispatch.send(SIGTERM)
        try rehearsal.dispatch.waitForEnd()
        let told = rehearsal.dispatch.errors.split(separator: "\n").filter { $0.contains("clock") }
        #expect(told.count == 1, "\(told)")
    }
}
