import Foundation
import JSON
import TestSupport
import Testing

@Suite("A file system of a few megabytes fills up and is emptied again", .serialized, Requires.disks)
struct FullDiskTests {
    /// What is on it, and who meets the trouble first.
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let folder: String
        let hooksMeetIt: Bool
        var room = Disk.Room.blocks
    }

    private static let places = [
        Place(testDescription: "the spool", folder: "var/spool", hooksMeetIt: true),
        Place(testDescription: "the queue", folder: "var/lib", hooksMeetIt: false),
        Place(testDescription: "both", folder: "var", hooksMeetIt: true),
        Place(testDescription: "the spool's inodes", folder: "var/spool", hooksMeetIt: true, room: .inodes),
    ]

    @Test(
        "Every entry that a hook called safe rings, and both daemons come back by themselves",
        arguments: places)
    func full(place: Place) throws {
        let bench = try DiskBench(.small(16), as: place.folder)
        let site = bench.site
        let people = [bench.village.ana, bench.village.ben, bench.village.cem]
        for person in people { try site.addDevice("\(person.name.first ?? "a")0", user: person.name) }
        let daemons = try [site.startDrain(), site.startDispatch()]
        let hooks = try bench.startHooks(first: 1, goingOn: true)

        for time in 1...2 {
            // That mail goes through.
            try site.apple.waitForRequests(50 * time)
            try bench.disk.fill(place.room)
            if place.hooksMeetIt {
                let before = Self.failures(of: hooks[0].shell)
                try wait(for: hooks[0].shell) { Self.failures(of: $0) > before }
            } else {
                try wait(for: daemons[0]) { drain in
                    if drain.errors.components(separatedBy: "no space left").count > time { return true }
                    // What is given back meanwhile, by counters that are replaced say, does for a while.
                    try bench.disk.fill(place.room)
                    return false
                }
            }
            try bench.disk.empty()
            // Else it may not notice that there was room in between.
            if !place.hooksMeetIt {
                try wait(for: daemons[0]) { $0.errors.components(separatedBy: "works again").count > time }
            }
        }
        let before = site.apple.requests.count
        try site.apple.waitForRequests(before + 50)
        for hook in hooks { hook.shell.send(SIGKILL) }
        let safe = try bench.safe(by: hooks)

        var rung: Set<DiskBench.Entry> = []
        let deadline = Date(timeIntervalSinceNow: 30)
        while try !safe.isSubset(of: rung) || !bench.names().isEmpty {
            try #require(Date.now < deadline, "\(safe.subtracting(rung).count) of \(safe.count) don't ring")
            rung = Set(try site.apple.waitForRequests(safe.count).compactMap { entry(of: $0, people) })
        }
        for daemon in daemons {
            daemon.send(SIGTERM)
            #expect(try daemon.waitForEnd() == .exited(0), "\(daemon.errors)")
        }
        let queue = try bench.queue()
        #expect(try queue.faults() == ["ok"])
        #expect(try queue.deliveries().filter { $0.end != "sent" }.isEmpty)
    }

    /// Waits until a program has got somewhere.
    private func wait(for program: RunningProgram, until isThere: (RunningProgram) throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 120)
        var seen = 0
        while try !isThere(program) {
            try #require(Date.now < deadline, "\(program.errors.suffix(1000))")
            seen = program.waitForNews(beyond: seen, within: 0.5)
        }
    }

    /// How many hooks of a shell have failed: of those it prints only the time.
    private static func failures(of shell: RunningProgram) -> Int {
        shell.output.split(separator: "\n").count { !$0.contains(" ") }
    }

    /// Which mail a request is about.
    private func entry(of request: SimulatedApple.Request, _ people: [Person]) -> DiskBench.Entry? {
        guard let owner = people.first(where: { request.deviceToken.first == $0.name.first })?.uid,
            let body = try? JSONParser.parse(Array(request.body.utf8)),
            let uid = body["msgRef"]?["uid"]?.integer
        else { return nil }
        return DiskBench.Entry(owner: owner, uid: uid)
    }
}
