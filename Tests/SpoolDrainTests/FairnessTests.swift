import Foundation
import Posix
import Queue
import SpoolDirectories
import TestSupport
import Testing

@testable import SpoolDrainCommand

/// How long others wait for one user's flood, counted in passes over a real directory and in rounds, not in time.
@Suite(Requires.root)
struct FairnessTests {
    /// What the clock is moved by: a name that is listed, and a batch that is committed.
    fileprivate static let (perName, perBatch) = (Duration.microseconds(2), Duration.milliseconds(30))

    /// The machine on a real directory, with a queue that takes everything and a clock of its own.
    private struct Bench {
        let directory: TemporaryDirectory
        let spool: SpoolDirectory
        var machine = DrainMachine(once: false, rescanSeconds: 3600)
        var now = Duration.zero
        var action = DrainAction.watch
        /// How many names each scan listed, and how many batches were read since the last one.
        var scans: [Int] = []
        var batches = 0
        var isFull = false
        /// How many entries are in the spool.
        private(set) var left = 0

        init(entries: Int, of owner: uid_t) throws {
            directory = try TemporaryDirectory()
            for name in ["new", "corrupt"] {
                try FileManager.default.createDirectory(
                    atPath: directory.file(name), withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
            }
            spool = try SpoolDirectory(path: directory.path)
            for number in 0..<entries { try publish("1\(1_000_000 + number)", owner) }
            action = machine.take(.started, now: now)
        }

        /// Adds an entry; one file has many names, because nobody reads it here.
        mutating func publish(_ name: String, _ owner: uid_t) throws {
            let file = directory.file("\(owner).\(left / 50_000)")
            if link(file, directory.file("new/\(name)")) != 0 {
                close(open(file, O_CREAT | O_WRONLY, 0o640))
                try #require(chown(file, owner, owner) == 0)
                try #require(link(file, directory.file("new/\(name)")) == 0)
            }
            left += 1
        }

        /// Does what the machine asks for; gives the names that it has read, if it has.
        mutating func step() throws -> [SpoolName] {
            var read: [SpoolName] = []
            var event = DrainEvent.triggered
            switch action {
            case .watch: event = .watching(true)
            case .scan:
                var listing = try spool.list(now: .now, beyond: machine.passed)
                let (round, names) = (listing.selection.round, listing.selection.inTurns())
                let listed = names.count + listing.selection.leftOut + listing.selection.heldBack
                now += FairnessTests.perName * listed
                scans.append(listed)
                batches = 0
                event = .scanned(
                    names: names, round: round, leftOut: listing.selection.leftOut, isWatched: true,
                    start: .now)
            case .read(let names):
                (read, batches) = (names, batches + 1)
                event = .read(
                    notices: names.map {
                        NewNotice(
                            ownerUID: 5001, spoolName: $0.bytes, user: "u", folder: "INBOX", uid: 0,
                            messageID: "", at: .now)
                    }, damaged: [], unfinished: 0)
            case .insert(let notices):
                now += FairnessTests.perBatch
                event = .inserted(heldBack: isFull ? notices : [])
            case .unlink(let names):
                let gone = spool.unlink(names).gone
                left -= gone
                event = .unlinked(gone)
            case .askForRoom: event = .room(!isFull)
            case .rest(let time):
                now += time
                event = .rested
            case .wait(let seconds):
                now += .seconds(seconds)
                event = .timedOut
            case .setAside, .trigger, .exit: break
            }
            action = machine.take(event, now: now)
            return read
        }
    }

    @Test("One user's 100,000 entries delay another user's wake by one pass and one round at most")
    func flood() throws {
        var bench = try Bench(entries: 100_000, of: 5001)
        let newcomer = name("2000000")
        // As late as it gets: just after the spool has been listed.
        while bench.scans.isEmpty { _ = try bench.step() }
        try bench.publish("2000000", 5002)
        var whole = 0
        while true {
            let read = try bench.step()
            if read.contains(newcomer) { break }
            if bench.scans.count == 1 { whole = bench.batches }
        }
        #expect(bench.scans.count == 2, "one pass")
        #expect(bench.batches == 1, "one round")
        // The pass took four times as long as its listing: 0.8 s.
        #expect(whole == 27)
    }

    @Test("However large the spool is, listing it takes a fifth of the time at most")
    func share() throws {
        var bench = try Bench(entries: 5000, of: 5001)
        while bench.left > 0 { _ = try bench.step() }
        let listing = FairnessTests.perName * bench.scans.reduce(0, +)
        #expect(listing * 4 < bench.now)
    }

    @Test("Behind a flood of entries without room one waits for 512 of them at most, then for a scan")
    func behindHeldBack() throws {
        var bench = try Bench(entries: 1000, of: 5001)
        bench.isFull = true
        func untilItWaits(_ bench: inout Bench) throws {
            while true {
                if case .wait = bench.action { return }
                _ = try bench.step()
            }
        }
        try untilItWaits(&bench)
        bench.now += .seconds(1)
        let passes = bench.scans.count
        for number in 0..<1000 {
            #expect(bench.scans.count == (number <= 512 ? passes : passes + 1))
            try bench.publish("2\(1_000_000 + number)", 5001)
            bench.action = bench.machine.take(
                .appeared(name("2\(1_000_000 + number)"), changed: .now), now: bench.now)
            try untilItWaits(&bench)
        }
        #expect(bench.scans.count == passes + 1)
    }

    @Test("For a newcomer beside 5,000 entries without room none of them is read or listed again")
    func heldBack() throws {
        var bench = try Bench(entries: 5000, of: 5001)
        bench.isFull = true
        var read = 0
        while true {
            read += try bench.step().count
            if case .wait = bench.action { break }
        }
        #expect(read == 5000)
        bench.isFull = false
        let passes = bench.scans.count
        for number in 0..<10 {
            try bench.publish("200\(number)", 5002)
            let before = bench.now
            bench.action = bench.machine.take(.appeared(name("200\(number)"), changed: .now), now: bench.now)
            var names: [SpoolName] = []
            while names.isEmpty { names = try bench.step() }
            #expect(names == [name("200\(number)")])
            #expect(bench.now == before)
            while true {
                if case .wait = bench.action { break }
                #expect(try bench.step().isEmpty)
            }
        }
        #expect(bench.scans.count == passes)
        // Once there is room all of them are taken.
        while bench.left > 0 { _ = try bench.step() }
    }
}
