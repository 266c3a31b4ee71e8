import Foundation
import Posix
import Queue
import TestSupport
import Testing

@Suite("kill -9 at the worst moments")
struct CrashTests {
    /// Where the drain is killed while it moves 200 entries in two batches of 100.
    struct Moment: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// As strace(1) injects the signal: at the start of this call.
        let call: String
        /// What there is then.
        let entries, notices: Int
    }

    private static let moments = [
        Moment(testDescription: "writing the first batch", call: "pwrite64:when=1", entries: 200, notices: 0),
        Moment(testDescription: "after its commit", call: "unlinkat:when=1", entries: 200, notices: 100),
        Moment(testDescription: "unlinking it", call: "unlinkat:when=50", entries: 151, notices: 100),
        Moment(testDescription: "unlinking the second", call: "unlinkat:when=150", entries: 51, notices: 200),
    ]

    @Test("Of 200 entries each becomes one notice, wherever the drain is killed", arguments: moments)
    func drain(killed moment: Moment) throws {
        let site = try Site()
        let rings = #"for uid in $(seq 200); do "$@" --uid $uid "$0"; done"#
        try site.run([
            "/bin/sh", "-c", rings, site.recipient.name, site.hook, "--spool", site.spoolDirectory,
        ])
        let queue = try QueueStore(path: site.queue, busyTimeout: .seconds(5))

        let drain = [site.directory.file("usr/sbin/spool-drain"), "--config", site.configuration, "--once"]
        let inject = ["-e", "inject=\(moment.call):signal=KILL"]
        let killed = try site.run(["/usr/bin/strace", "-qq", "-o", "/dev/null"] + inject + drain)
        #expect(killed.ending == .signalled(SIGKILL))
        #expect(try site.waitingFolders().count == moment.entries)
        #expect(try queue.counts(now: .now).waiting == moment.notices)

        #expect(try site.run(drain).ending == .exited(0))
        #expect(try site.waitingFolders() == [])
        var uids: [UInt32] = []
        _ = try queue.fanOut(limit: 1000, now: .now) { notice, _ in
            uids.append(notice.uid)
            return .drop(.noDevice)
        }
        #expect(uids.sorted() == Array(1...200))
    }

    @Test("Hazard 76: a dispatch killed between request and settlement sends the same request again")
    func dispatch() throws {
        let site = try Site(answers: ["* = 200 delay=600000, 200"])
        try site.addDevice("a1")
        try site.startDrain()
        let first = try site.startDispatch()
        try site.deliver(rc: site.including("trap"))
        try site.apple.waitForRequests(1)
        first.send(SIGKILL)
        try first.waitForEnd()

        let second = try site.startDispatch()
        try second.waitForLine(containing: ": sent, accepted")
        let requests = try site.apple.waitForRequests(2)
        #expect(requests.count == 2)
        for name in [":path", "apns-id", "apns-collapse-id", "apns-expiration"] {
            let values = requests.map { $0.header(name) }
            #expect(values.first != nil && Set(values).count == 1, "\(name): \(values)")
        }
        #expect(Set(requests.map(\.body)).count == 1)
        #expect(try site.ended("sent", "accepted by a stand-in") == 1)
    }
}
