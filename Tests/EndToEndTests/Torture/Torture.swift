import Foundation
import Synchronization
import TestSupport
import Testing

/// Kills hooks, drains and dispatches at random moments while mail comes for three users through procmail.
final class Torture: Sendable {
    /// The programs that are killed.
    enum Victim: String, CaseIterable { case hook, drain, dispatch }

    /// What is known of all mails so far.
    struct Toll {
        var kills: [Victim: Int] = [:]
        var mails = 0
        /// Mails whose hook was killed before it published anything.
        var unpublished = 0
        var published: Set<PublishedEntry> = []
        /// Entries of hooks that were killed in the very call that publishes.
        var perhaps: Set<PublishedEntry> = []
        var failure: (any Error)?
    }

    let site: Site
    let people: [Person]
    private let seed: UInt64
    private let killsOfEach: Int
    private let state = Mutex(Toll())
    private let start = Date.now

    /// How long everything may take.
    private static let patience: Double = 600

    /// A torture of a site with this many kills, a third for each program.
    init(_ site: Site, kills: Int, seed: UInt64) throws {
        self.site = site
        self.seed = seed
        let village = try #require(site.village)
        people = [village.ana, village.ben, village.cem]
        killsOfEach = (kills + 2) / Victim.allCases.count
    }

    /// Runs it to the last kill.
    func run() throws -> Toll {
        let group = DispatchGroup()
        for (index, person) in people.enumerated() {
            work(in: group, index) { [self] in try deliver(to: person, &$0) }
        }
        work(in: group, 10) { [self] in try kill(.drain, "spool-drain", as: site.drainUser, &$0) }
        work(in: group, 11) { [self] in try kill(.dispatch, "dispatch", as: site.dispatchUser, &$0) }
        group.wait()
        let toll = state.withLock { $0 }
        if let failure = toll.failure { throw failure }
        return toll
    }

    /// Does something again and again, by chance of its own, until every program has been killed often enough.
    private func work(
        in group: DispatchGroup, _ number: Int, _ step: @escaping @Sendable (inout SplitMix) throws -> Void
    ) {
        group.enter()
        Thread.detachNewThread { [self] in
            var random = SplitMix(state: seed &+ UInt64(number))
            do {
                while !isOver { try step(&random) }
            } catch {
                state.withLock { $0.failure = error }
            }
            group.leave()
        }
    }

    private var isOver: Bool {
        state.withLock { toll in
            toll.failure != nil || Date.now.timeIntervalSince(start) > Self.patience
                || Victim.allCases.allSatisfy { toll.kills[$0, default: 0] >= killsOfEach }
        }
    }

    /// Lets a daemon live for up to half a second, from before its first call on.
    private func kill(_ victim: Victim, _ name: String, as person: Person, _ random: inout SplitMix) throws {
        let daemon = try site.launch(name, as: person)
        Thread.sleep(forTimeInterval: Double(random.below(500)) / 1000)
        // Until the last exec(2) it is the shell that makes it.
        let command = try? String(contentsOfFile: "/proc/\(daemon.processIdentifier)/comm", encoding: .utf8)
        daemon.send(SIGKILL)
        guard try daemon.waitForEnd() == .signalled(SIGKILL) else {
            throw Site.Trouble(description: "\(name) ended by itself: \(daemon.errors)")
        }
        if command == name + "\n" { state.withLock { $0.kills[victim, default: 0] += 1 } }
    }

    /// Delivers one mail; every second hook lives for some milliseconds at most.
    private func deliver(to person: Person, _ random: inout SplitMix) throws {
        // Folders in turn, so that no flood is held back.
        let number = state.withLock { toll in
            toll.mails += 1
            return toll.mails
        }
        var rc = site.including("trap")
        if random.chance(2) {
            let life = String(format: "%.4f", Double(1 + random.below(150)) / 10_000)
            rc += "TRAP=\"/usr/bin/timeout --foreground --signal=KILL \(life) $TRAP\"\n"
        }
        rc += ":0\nMaildir/.Folder\(number % 200)/\n"
        let file = person.home + "/trace"
        let delivery = try site.deliver(to: person, rc: rc, trace: file)
        guard delivery.ending == .exited(0) else {
            throw Site.Trouble(description: "the mail wasn't delivered: \(delivery)")
        }
        let trace = HookTrace(try String(contentsOfFile: file, encoding: .utf8))
        guard trace.published.count + trace.perhaps.count == 1 || trace.wasKilled else {
            throw Site.Trouble(description: "a hook that nobody killed published nothing")
        }
        state.withLock { toll in
            if trace.wasKilled { toll.kills[.hook, default: 0] += 1 }
            toll.published.formUnion(trace.published.map { PublishedEntry(owner: person.uid, name: $0) })
            toll.perhaps.formUnion(trace.perhaps.map { PublishedEntry(owner: person.uid, name: $0) })
            if trace.published.isEmpty && trace.perhaps.isEmpty { toll.unpublished += 1 }
        }
    }
}
