import Posix
import Queue
import TestSupport
import SpoolDirectories
import Testing

@testable import SpoolDrainCommand

/// Walks through the machine at random, with a spool and a queue that are sets of names, and checks after each step
/// what must hold whatever happens.
struct DrainMachineWalkTests {
    private struct World {
        var machine = DrainMachine(once: false, rescanSeconds: 60)
        /// The names in the spool, and when each appeared.
        var spool: [SpoolName: WallTime] = [:]
        var queue: Set<SpoolName> = []
        var aside: Set<SpoolName> = []
        var unheard: [SpoolName] = []
        var published = 0
        var now = Duration.zero
        var wall = scanStart
        var random: SplitMix
        /// From now on nothing goes wrong and nothing is published.
        var isCalm = false

        mutating func happens(_ number: UInt64) -> Bool { !isCalm && random.chance(number) }

        mutating func publish() {
            published += 1
            let new = name("\(published)")
            spool[new] = wall
            unheard.append(new)
        }

        /// Does what the machine asked for, with anything that can go wrong going wrong.
        mutating func perform(_ action: DrainAction) -> DrainEvent {
            wall = wall.advanced(by: .milliseconds(1))
            if happens(3) { publish() }
            switch action {
            case .watch: return .watching(!happens(4))
            case .scan:
                if happens(8) { return .failed }
                let start = wall
                let passed = machine.passed[1000] ?? SpoolName(bytes: [])
                let there = spool.keys.sorted().filter { $0 > passed }
                let seen = there.filter { _ in !happens(10) }
                now += .microseconds(there.count)
                return .scanned(
                    names: seen, leftOut: there.count - seen.count, isWatched: !happens(20), start: start)
            case .read(let names):
                #expect(names.count <= DrainMachine.batchSize)
                var notices: [NewNotice] = []
                var bad: [DamagedEntry] = []
                var unfinished = 0
                for name in names {
                    let text = String(decoding: name.bytes, as: UTF8.self)
                    if happens(10) {
                        unfinished += 1
                    } else if happens(5) {
                        bad.append(damaged(text))
                    } else {
                        notices.append(notice(text))
                    }
                }
                return .read(notices: notices, damaged: bad, unfinished: unfinished)
            case .setAside(let entries):
                #expect(!entries.isEmpty)
                let moved = entries.filter { _ in !happens(5) }.map(\.name)
                aside.formUnion(moved)
                for name in moved { spool[name] = nil }
                let rest = entries.map(\.name).filter { !moved.contains($0) }
                let stuck = rest.filter { _ in happens(2) }
                return .setAside(settled: moved.count, stuck: stuck, left: rest.count - stuck.count)
            case .insert(let notices):
                #expect(!notices.isEmpty && notices.count <= DrainMachine.batchSize)
                if happens(4) { return .failed }
                let isFull = happens(4)
                let heldBack = notices.filter { _ in isFull && happens(2) }
                queue.formUnion(
                    notices.filter { !heldBack.contains($0) }.map { SpoolName(bytes: $0.spoolName) })
                return .inserted(heldBack: heldBack)
            case .askForRoom: return .room(!happens(2))
            case .rest(let time):
                #expect(time > .zero && time < .seconds(1))
                now += time
                return .rested
            case .unlink(let names):
                #expect(queue.isSuperset(of: names), "an entry is unlinked only after it is committed")
                for name in names { spool[name] = nil }
                return .unlinked(names.count)
            case .trigger: return .triggered
            case .wait(let seconds):
                #expect((1...60).contains(seconds))
                if happens(10) { return .overflowed }
                if happens(20) { return .gone }
                if !unheard.isEmpty {
                    let heard = unheard.removeFirst()
                    return .appeared(heard, changed: spool[heard])
                }
                now += .seconds(seconds)
                return .timedOut
            case .exit:
                Issue.record("the machine ended")
                return .interrupted
            }
        }
    }

    @Test(
        "Whatever fails when: nothing is unlinked uncommitted, nothing is lost, and the machine never ends by itself",
        arguments: 0..<50)
    func walk(seed: UInt64) {
        var world = World(random: SplitMix(state: seed))
        var event = DrainEvent.started
        for _ in 0..<2000 { event = world.perform(world.machine.take(event, now: world.now)) }
        #expect(world.queue.union(world.aside).union(world.spool.keys).count == world.published)
        world.isCalm = true
        for _ in 0..<2000 { event = world.perform(world.machine.take(event, now: world.now)) }
        #expect(world.machine.stuck.isSuperset(of: world.spool.keys), "all is drained that can be")
    }

    @Test("Whenever it is asked to stop, it ends with 0 within three steps", arguments: 0..<50)
    func stops(seed: UInt64) {
        var world = World(random: SplitMix(state: seed))
        var event = DrainEvent.started
        for _ in 0..<(100 + Int(seed)) { event = world.perform(world.machine.take(event, now: world.now)) }
        world.machine.stopRequested()
        for _ in 0..<3 {
            let action = world.machine.take(event, now: world.now)
            if action == .exit(.ok) { return }
            event = world.perform(action)
        }
        #expect(world.machine.take(event, now: world.now) == .exit(.ok))
    }
}
