import Foundation
import Posix
import Queue
import SQLite
import TestSupport
import Testing

/// Entries of an account that has its ceiling of waiting wakes, which a trusted user may have written.
@Suite(Requires.root)
struct HeldBackTests {
    private let fixture: DrainFixture
    private let queue: QueueStore

    init() throws {
        fixture = try DrainFixture()
        queue = try QueueStore(
            path: fixture.directory.file("state/doorbell.db"), busyTimeout: .seconds(20))
        let waiting = (0..<QueueStore.accountCeiling).map {
            NewNotice(
                ownerUID: 0, spoolName: Array("w\($0)".utf8), user: "nobody", folder: "INBOX", uid: 0,
                messageID: "", at: .now)
        }
        _ = try queue.insert(waiting, now: .now)
        for number in 0..<3 { try fixture.publish("1\(number)", DrainFixture.entry(user: "nobody")) }
    }

    private func names() throws -> [String] { try fixture.rows().filter { !$0.hasPrefix("w") } }

    @Test("They stay in the spool until there is room, others go on, and that is said once and counted")
    func heldBack() throws {
        let daemon = try fixture.start()
        try daemon.waitForLine(containing: "entries of uid 0 stay in")
        for name in ["2", "3"] {
            try fixture.publish(name, DrainFixture.entry(user: "daemon"))
            #expect(try fixture.waitForTrigger())
        }
        #expect(try names() == ["2", "3"])
        #expect(try fixture.names(in: "spool/new") == ["10", "11", "12"])
        #expect(try fixture.metrics()["doorbell_drain_full_accounts"] == 1)
        #expect(try fixture.metrics()["doorbell_drain_entries_waiting"] == 3)
        let half = QueueStore.accountCeiling / 2
        _ = try queue.fanOut(limit: half + 2, now: .now) { _, _ in .drop(.noDevice) }
        try daemon.waitForLine(containing: "no entry waits for room")
        #expect(try names() == ["2", "3", "10", "11", "12"])
        #expect(try fixture.names(in: "spool/new").isEmpty)
        #expect(daemon.errors.components(separatedBy: "stay in").count == 2)
        daemon.send(SIGTERM)
        #expect(try daemon.waitForEnd() == .exited(0))
        #expect(try fixture.metrics()["doorbell_drain_full_accounts"] == 0)
    }

    @Test("Once: it ends with 75, because they can go to the queue later")
    func once() throws {
        #expect(try fixture.once().ending == .exited(75))
        #expect(try fixture.names(in: "spool/new") == ["10", "11", "12"])
    }
}
