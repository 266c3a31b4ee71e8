import Posix
import Queue
import Spool
import SpoolDirectories
import Testing

@testable import SpoolDrainCommand

/// What fails, what takes long, and what holds others up.
extension DrainMachineTests {
    @Test("A queue that is busy or full is tried again after a pause, and nothing is unlinked")
    func failedInsert() {
        var machine = waiting()
        #expect(
            run(
                &machine,
                [
                    .timedOut, scanned("a"), .read(notices: [notice("a")], damaged: [], unfinished: 0),
                    .failed,
                ], at: .seconds(10)) == .wait(seconds: 2))
        #expect(machine.take(.timedOut, now: .seconds(12)) == .scan(.retry))
    }

    @Test("No wake shortens a pause, and none makes it longer")
    func pause() {
        var machine = waiting()
        _ = run(&machine, [.timedOut, .failed], at: .seconds(10))
        for event in [DrainEvent.appeared(name("b"), changed: later), .overflowed, .interrupted] {
            #expect(machine.take(event, now: .milliseconds(10_500)) == .wait(seconds: 2))
        }
        #expect(
            machine.take(.appeared(name("b"), changed: later), now: .milliseconds(11_500))
                == .wait(seconds: 1)
        )
        // A wait can't be shorter than a second, but the pause is over by the clock.
        #expect(machine.take(.appeared(name("b"), changed: later), now: .seconds(12)) == .scan(.retry))
    }

    @Test("However long a listing stood still, a wake is put off by a minute at most")
    func stoodStill() {
        var machine = waiting()
        _ = machine.take(.timedOut, now: .zero)
        let hour = Duration.seconds(3600)
        #expect(machine.take(scanned(), now: hour) == .wait(seconds: Self.rescan))
        #expect(machine.take(.overflowed, now: hour) == .rest(.seconds(60)))
        #expect(machine.take(.rested, now: hour + .seconds(60)) == .scan(.overflow))
    }

    @Test("However busy others keep it, what is held back is looked at once a rescan")
    func busy() {
        var machine = waiting()
        _ = machine.take(.timedOut, now: .zero)
        for (seconds, cause, passed) in [
            (Self.rescan - 1, DrainCause.backlog, [UInt32(1000): name("a")]), (Self.rescan, .timeout, [:]),
        ] {
            let action = run(
                &machine,
                [
                    .scanned(names: [name("a")], leftOut: 9, isWatched: true, start: scanStart),
                    .read(notices: [notice("a")], damaged: [], unfinished: 0),
                    .inserted(heldBack: [notice("a")]),
                ], at: .seconds(seconds))
            #expect(action == .scan(cause))
            #expect(machine.passed == passed)
        }
    }

    @Test("However short a pass is, each owner has a turn in it")
    func round() {
        var machine = waiting()
        let names = (1000..<1700).map { name("\($0)") }
        var read = 0
        var action = run(
            &machine,
            [.timedOut, .scanned(names: names, round: 600, leftOut: 0, isWatched: true, start: scanStart)])
        while case .read(let batch) = action {
            read += batch.count
            let notices = batch.map { notice(String(decoding: $0.bytes, as: UTF8.self)) }
            action = run(
                &machine,
                [
                    .read(notices: notices, damaged: [], unfinished: 0), .inserted(),
                    .unlinked(batch.count), .triggered,
                ])
        }
        #expect(read == 600)
        #expect(action == .scan(.backlog))
    }

    @Test("A broken queue ends the program with the queue's code")
    func broken() {
        var machine = waiting()
        #expect(
            run(
                &machine,
                [
                    .timedOut, scanned("a"), .read(notices: [notice("a")], damaged: [], unfinished: 0),
                    .broken(exitCode: .inputOutput),
                ]) == .exit(.inputOutput))
    }

    @Test(
        "Hazard 112: a spool that can't be watched is looked at every two seconds, and watching is tried each time"
    )
    func deaf() {
        var machine = machine()
        #expect(run(&machine, [.started, .watching(false), scanned()]) == .wait(seconds: 2))
        #expect(machine.take(.timedOut, now: .zero) == .watch)
        #expect(machine.take(.watching(true), now: .zero) == .scan(.timeout))
        #expect(machine.take(scanned(), now: .zero) == .wait(seconds: Self.rescan))
    }

    @Test("A directory that is gone, or another one at its place, is watched afresh")
    func gone() {
        var machine = waiting()
        #expect(machine.take(.gone, now: .zero) == .watch)

        machine = waiting()
        #expect(
            run(&machine, [.timedOut, .scanned(names: [], leftOut: 0, isWatched: false, start: scanStart)])
                == .wait(seconds: 2)
        )
        #expect(machine.take(.timedOut, now: .zero) == .watch)
    }
}
