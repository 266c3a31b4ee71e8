import APNs
import Foundation
import TLS
import TestSupport
import Testing

@Suite("kill -9 without end", Requires.root)
struct TortureTests {
    /// `make torture` asks for more.
    private let kills = ProcessInfo.processInfo.environment["DOORBELL_KILLS"].flatMap { Int($0) } ?? 20
    /// `DOORBELL_SEED` repeats the choices, though not the kernel's.
    private let seed =
        ProcessInfo.processInfo.environment["DOORBELL_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64(UInt32.max))

    /// Two devices for the first user and one for each other.
    private static let devices = [("ana", UInt8(0xA1)), ("ana", 0xA2), ("ben", 0xB1), ("cem", 0xC1)]

    @Test(
        "Hazard 92: whatever is killed, every published entry rings, and what is sent again is the same to the byte"
    )
    func torture() throws {
        let site = try Site(inVillage: true, answers: ["* = 200, 200 delay=40"])
        for (user, digits) in Self.devices { try site.addDevice(String(digits, radix: 16), user: user) }
        let torture = try Torture(site, kills: kills, seed: seed)
        let toll = try torture.run()
        try finish(site)

        let queue = try QueueContents(path: site.queue)
        let notices = try queue.notices()
        #expect(Set(notices).count == notices.count)
        #expect(toll.published.subtracting(notices).isEmpty, "published and lost")
        #expect(Set(notices).subtracting(toll.published).isSubset(of: toll.perhaps), "never published")

        let expected = Set(notices.flatMap { ids(of: $0, torture.people) })
        let deliveries = try queue.deliveries()
        #expect(deliveries.count == expected.count)
        #expect(Set(deliveries.map(\.id)) == expected)
        // dispatch is killed so often that a delivery may be taken for the cause.
        let poisoned = deliveries.filter { $0.end == "failed" && $0.reason.hasPrefix("poison") }
        #expect(deliveries.count { $0.end == "sent" } + poisoned.count == deliveries.count)
        #expect(try queue.countedEnds() == Int64(deliveries.count))

        let requests = Dictionary(grouping: site.apple.requests) { $0.header("apns-id") ?? "" }
        #expect(Set(requests.keys).isSubset(of: expected))
        #expect(expected.subtracting(requests.keys).isSubset(of: poisoned.map(\.id)))
        for (id, tries) in requests {
            for name in [":path", "apns-collapse-id", "apns-expiration"] {
                #expect(Set(tries.map { $0.header(name) }).count == 1, "\(id): \(name)")
            }
            #expect(Set(tries.map(\.body)).count == 1, "\(id)")
        }
        report(
            toll, notices: notices.count, deliveries: deliveries.count, poisoned: poisoned.count,
            repeated: site.apple.requests.count - requests.count)
    }

    /// Lets daemons that nobody kills do what is left.
    private func finish(_ site: Site) throws {
        let drain = try site.startDrain()
        let dispatch = try site.startDispatch()
        let queue = try QueueContents(path: site.queue)
        let deadline = Date(timeIntervalSinceNow: 60)
        var seen = 0
        let new = site.spoolDirectory + "/new"
        while try !FileManager.default.contentsOfDirectory(atPath: new).isEmpty || queue.isOpen() {
            guard Date.now < deadline else {
                throw Site.Trouble(description: "work is left over: \(dispatch.errors.suffix(2_000))")
            }
            seen = dispatch.waitForNews(beyond: seen, within: 0.5)
        }
        for daemon in [drain, dispatch] {
            daemon.send(SIGTERM)
            #expect(try daemon.waitForEnd() == .exited(0))
        }
        let corrupt = try FileManager.default.contentsOfDirectory(atPath: site.spoolDirectory + "/corrupt")
        #expect(corrupt == [])
    }

    /// The ids of an entry's wakes, one for each device of its owner's.
    private func ids(of entry: PublishedEntry, _ people: [Person]) -> [String] {
        let owner = people.first { $0.uid == entry.owner }?.name
        return Self.devices.filter { $0.0 == owner }.map { _, digits in
            NotificationID.text(
                ownerUID: entry.owner, spoolName: Array(entry.name.utf8), topic: "com.example.Mail",
                token: Array(repeating: digits, count: 32), sha1: { Hash.sha1($0) })
        }
    }

    private func report(_ toll: Torture.Toll, notices: Int, deliveries: Int, poisoned: Int, repeated: Int) {
        let kills = Torture.Victim.allCases.map { "\($0) \(toll.kills[$0, default: 0])" }
        let total = toll.kills.values.reduce(0, +)
        #expect(total >= self.kills)
        print(
            """
            torture: DOORBELL_SEED=\(seed); \(total) kills: \(kills.joined(separator: ", "))
            torture: \(toll.mails) mails: \(toll.published.count) published, \(toll.unpublished) whose hook was killed \
            before, \(toll.perhaps.count) while publishing
            torture: \(notices) notices, \(deliveries - poisoned) deliveries sent and \(poisoned) failed as \
            poison; \(repeated) requests repeated
            """)
    }
}
