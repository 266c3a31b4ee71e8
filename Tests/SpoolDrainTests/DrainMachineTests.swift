import Posix
import Queue
import Spool
import SpoolDirectories
import Testing

@testable import SpoolDrainCommand

/// Names, notices and damage for the machine, which looks at nothing in them.
func name(_ text: String) -> SpoolName { SpoolName(bytes: Array(text.utf8)) }

func notice(_ text: String) -> NewNotice {
    NewNotice(
        ownerUID: 1000, spoolName: Array(text.utf8), user: "alice", folder: "INBOX", uid: 0, messageID: "",
        at: WallTime(milliseconds: 0))
}

func damaged(_ text: String) -> DamagedEntry {
    DamagedEntry(name: name(text), owner: 1000, damage: .truncated)
}

/// When a scan began, and the change of a file that it can't have seen.
let scanStart = WallTime(milliseconds: 1_796_013_060_000)
let later = WallTime(milliseconds: 1_796_013_060_001)

struct DrainMachineTests {
    static let rescan = 3600

    func machine(once: Bool = false) -> DrainMachine {
        DrainMachine(once: once, rescanSeconds: Self.rescan)
    }

    /// A machine that has scanned an empty spool and waits.
    func waiting() -> DrainMachine {
        var machine = machine()
        _ = run(
            &machine,
            [.started, .watching(true), .scanned(names: [], leftOut: 0, isWatched: true, start: scanStart)])
        return machine
    }

    /// Takes one event after the other and gives the last answer.
    func run(_ machine: inout DrainMachine, _ events: [DrainEvent], at now: Duration = .zero)
        -> DrainAction?
    {
        var action: DrainAction?
        for event in events { action = machine.take(event, now: now) }
        return action
    }

    func scanned(_ names: String...) -> DrainEvent {
        .scanned(names: names.map { name($0) }, leftOut: 0, isWatched: true, start: scanStart)
    }

    @Test("It watches before it scans")
    func start() {
        var machine = machine()
        #expect(machine.take(.started, now: .zero) == .watch)
        #expect(machine.take(.watching(true), now: .zero) == .scan(.start))
    }

    @Test("An empty spool is waited for until the next rescan")
    func empty() {
        var machine = machine()
        #expect(run(&machine, [.started, .watching(true), scanned()]) == .wait(seconds: Self.rescan))
    }

    @Test("An entry is read, committed, unlinked, and dispatch is told, in this order")
    func entry() {
        var machine = waiting()
        #expect(machine.take(.appeared(name("a"), changed: later), now: .zero) == .scan(.wake))
        #expect(machine.take(scanned("a"), now: .zero) == .read([name("a")]))
        #expect(
            machine.take(.read(notices: [notice("a")], damaged: [], unfinished: 0), now: .zero)
                == .insert([notice("a")]))
        #expect(machine.take(.inserted(), now: .zero) == .unlink([name("a")]))
        #expect(machine.take(.unlinked(1), now: .zero) == .trigger)
        #expect(machine.take(.triggered, now: .zero) == .wait(seconds: Self.rescan))
    }

    @Test("A name that came during a scan and was drained by it causes no further scan")
    func drainedWake() {
        var machine = waiting()
        #expect(
            machine.take(.appeared(name("a"), changed: nil), now: .zero) == .wait(seconds: Self.rescan))
    }

    @Test("After the clock was set back every wake is news, until a scan has begun by the new time")
    func clockSetBack() {
        let changed = scanStart.advanced(by: .seconds(-3600))
        func wake(_ lastScan: WallTime) -> DrainEvent {
            .appeared(name("a"), changed: SpoolListener.told(changed, now: changed, lastScan: lastScan))
        }
        var machine = waiting()
        #expect(machine.lastScan == scanStart)
        #expect(machine.take(wake(machine.lastScan), now: .zero) == .scan(.wake))
        #expect(SpoolListener.told(changed, now: scanStart, lastScan: scanStart) == changed)
    }

    @Test("Names that came during a scan and are still there cause exactly one more")
    func wakesDuringScan() {
        var machine = waiting()
        #expect(
            run(
                &machine,
                [
                    .appeared(name("a"), changed: later), scanned("a", "b"),
                    .read(notices: [notice("a"), notice("b")], damaged: [], unfinished: 0), .inserted(),
                    .unlinked(2), .triggered,
                ]) == .wait(seconds: Self.rescan))
        #expect(
            machine.take(.appeared(name("b"), changed: nil), now: .zero) == .wait(seconds: Self.rescan))
    }

    @Test("A name that the last scan has seen and left there causes no further one")
    func seen() {
        var machine = waiting()
        let event = DrainEvent.appeared(name("a"), changed: scanStart.advanced(by: .milliseconds(-1)))
        for _ in 0..<1000 { #expect(machine.take(event, now: .zero) == .wait(seconds: Self.rescan)) }
        #expect(machine.take(.appeared(name("a"), changed: scanStart), now: .zero) == .scan(.wake))
    }

    @Test("A temporary name causes no scan")
    func temporary() {
        var machine = waiting()
        #expect(
            machine.take(.appeared(name(".t"), changed: later), now: .zero) == .wait(seconds: Self.rescan))
    }

    @Test(
        "Time-out and overflow scan",
        arguments: [(DrainEvent.timedOut, DrainCause.timeout), (.overflowed, .overflow)])
    func rescans(event: DrainEvent, cause: DrainCause) {
        var machine = waiting()
        #expect(machine.take(event, now: .zero) == .scan(cause))
    }

    @Test("Entries are read in batches of a hundred, each committed for itself")
    func batches() {
        let names = (100..<350).map { name("\($0)") }
        var machine = waiting()
        var action = run(
            &machine, [.timedOut, .scanned(names: names, leftOut: 0, isWatched: true, start: scanStart)])
        var sizes: [Int] = []
        while case .read(let batch) = action {
            sizes.append(batch.count)
            let notices = batch.map { notice(String(decoding: $0.bytes, as: UTF8.self)) }
            #expect(run(&machine, [.read(notices: notices, damaged: [], unfinished: 0)]) == .insert(notices))
            action = run(&machine, [.inserted(), .unlinked(batch.count), .triggered])
        }
        #expect(sizes == [100, 100, 50])
        #expect(action == .wait(seconds: Self.rescan))
    }

    @Test(
        "Entries that can't be used are set aside before the batch is committed, without a commit where none is left"
    )
    func damage() {
        var machine = waiting()
        #expect(
            run(
                &machine,
                [
                    .timedOut, scanned("a", "b"),
                    .read(notices: [notice("a")], damaged: [damaged("b")], unfinished: 0),
                ]) == .setAside([damaged("b")]))
        #expect(machine.take(.setAside(settled: 1, stuck: [], left: 0), now: .zero) == .insert([notice("a")]))

        machine = waiting()
        #expect(
            run(
                &machine,
                [
                    .timedOut, scanned("b"), .read(notices: [], damaged: [damaged("b")], unfinished: 0),
                    .setAside(settled: 1, stuck: [], left: 0),
                ]) == .wait(seconds: Self.rescan))
    }

    @Test("What can't be moved is passed over as long as it is there")
    func stuck() {
        var machine = waiting()
        _ = run(
            &machine,
            [
                .timedOut, scanned("d"), .read(notices: [], damaged: [damaged("d")], unfinished: 0),
                .setAside(settled: 0, stuck: [name("d")], left: 0),
            ])
        #expect(run(&machine, [.timedOut, scanned("a", "d")]) == .read([name("a")]))
        _ = run(&machine, [.read(notices: [], damaged: [], unfinished: 0), .timedOut, scanned()])
        #expect(run(&machine, [.timedOut, scanned("d")]) == .read([name("d")]))
    }

    @Test("An unfinished entry is looked at again shortly, without a wake")
    func unfinished() {
        var machine = waiting()
        #expect(
            run(&machine, [.timedOut, scanned("a"), .read(notices: [], damaged: [], unfinished: 1)])
                == .wait(seconds: DrainMachine.retrySeconds))
        #expect(machine.take(.timedOut, now: .zero) == .scan(.retry))
    }

    @Test("What couldn't be set aside this time is tried again shortly, and the others' entries don't wait")
    func left() {
        var machine = waiting()
        #expect(
            run(
                &machine,
                [
                    .timedOut, scanned("a", "b"),
                    .read(notices: [notice("a")], damaged: [damaged("b")], unfinished: 0),
                    .setAside(settled: 0, stuck: [], left: 1),
                ]) == .insert([notice("a")]))
        #expect(
            run(&machine, [.inserted(), .unlinked(1), .triggered])
                == .wait(seconds: DrainMachine.retrySeconds))
        #expect(run(&machine, [.timedOut, scanned("b")]) == .read([name("b")]))
    }

    @Test(
        "However many wakes are about nothing, the next look isn't put off",
        arguments: [(0, 3600, DrainCause.timeout), (1, 2, .retry)])
    func notPutOff(unfinished: Int, seconds: Int, cause: DrainCause) {
        var machine = waiting()
        _ = run(&machine, [.timedOut, scanned("a"), .read(notices: [], damaged: [], unfinished: unfinished)])
        for event in [DrainEvent.appeared(name(".t"), changed: later), .interrupted] {
            #expect(machine.take(event, now: .seconds(seconds) - .milliseconds(500)) == .wait(seconds: 1))
        }
        #expect(machine.take(.appeared(name(".t"), changed: later), now: .seconds(seconds)) == .scan(cause))
    }

    @Test("Names that were left out are scanned for at once, but only after progress")
    func leftOut() {
        var machine = waiting()
        let scan = DrainEvent.scanned(names: [name("a")], leftOut: 9, isWatched: true, start: scanStart)
        #expect(
            run(
                &machine,
                [
                    .timedOut, scan, .read(notices: [notice("a")], damaged: [], unfinished: 0), .inserted(),
                    .unlinked(1), .triggered,
                ]) == .scan(.backlog))
        #expect(
            run(&machine, [scan, .read(notices: [], damaged: [], unfinished: 1)])
                == .wait(seconds: DrainMachine.retrySeconds))
    }

    @Test("Asked to stop while it waits or between two batches, it ends with 0")
    func stop() {
        var machine = waiting()
        machine.stopRequested()
        #expect(machine.take(.interrupted, now: .zero) == .exit(.ok))

        machine = waiting()
        _ = run(&machine, [.timedOut, scanned("a")])
        machine.stopRequested()
        #expect(run(&machine, [.read(notices: [notice("a")], damaged: [], unfinished: 0)]) == .exit(.ok))
    }

    @Test("Asked to stop during a commit, it still unlinks what is committed and tells dispatch")
    func stopAfterCommit() {
        var machine = waiting()
        _ = run(
            &machine, [.timedOut, scanned("a"), .read(notices: [notice("a")], damaged: [], unfinished: 0)])
        machine.stopRequested()
        #expect(machine.take(.inserted(), now: .zero) == .unlink([name("a")]))
        #expect(machine.take(.unlinked(1), now: .zero) == .trigger)
        #expect(machine.take(.triggered, now: .zero) == .exit(.ok))
    }

    @Test("Once: it scans without a watch and ends when the spool is drained")
    func once() {
        var machine = machine(once: true)
        #expect(machine.take(.started, now: .zero) == .scan(.start))
        #expect(
            machine.take(.scanned(names: [], leftOut: 0, isWatched: false, start: scanStart), now: .zero)
                == .exit(.ok))
    }

    @Test("Once: unfinished entries get a few more scans, and what fails ends it with 75")
    func onceUnfinished() {
        var machine = machine(once: true)
        let scan = DrainEvent.scanned(names: [name("a")], leftOut: 0, isWatched: false, start: scanStart)
        let unfinished = DrainEvent.read(notices: [], damaged: [], unfinished: 1)
        #expect(run(&machine, [.started, scan, unfinished]) == .wait(seconds: 2))
        #expect(run(&machine, [.timedOut]) == .scan(.retry))
        #expect(run(&machine, [scan, unfinished]) == .wait(seconds: 2))
        #expect(run(&machine, [.timedOut, scan, unfinished]) == .exit(.ok))

        machine = self.machine(once: true)
        #expect(run(&machine, [.started, .failed]) == .exit(.temporaryFailure))
    }
}
