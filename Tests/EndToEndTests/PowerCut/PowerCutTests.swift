import Foundation
import TestSupport
import Testing

@Suite("The power is cut", .serialized, Requires.disks)
struct PowerCutTests {
    /// For each program and file system; `make powercut` asks for more.
    private let cuts = ProcessInfo.processInfo.environment["DOORBELL_CUTS"].flatMap { Int($0) } ?? 3
    /// `DOORBELL_SEED` repeats the choices, though not the kernel's.
    private let seed =
        ProcessInfo.processInfo.environment["DOORBELL_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64(UInt32.max))

    private static let formats = [Disk.Format.ext4, .xfs]

    @Test(
        "Every entry that an ordinary user's hook called safe is there afterwards, whole", arguments: formats)
    func hooks(format: Disk.Format) throws {
        let bench = try DiskBench(format, seed: seed)
        var safe: Set<DiskBench.Entry> = []
        var lost: Set<DiskBench.Entry> = []
        for cut in 0..<cuts {
            let hooks = try bench.startHooks(first: 1_000_000 * (cut + 1))
            let moment = try bench.cut(after: 100, 900)
            safe.formUnion(try bench.safe(by: hooks, before: moment))
            lost.formUnion(safe.subtracting(try bench.entries()))
        }
        #expect(!safe.isEmpty)
        #expect(lost.isEmpty, "lost \(lost.count)")
        report(format, "\(safe.count) entries called safe by hooks, \(lost.count) lost")
    }

    @Test(
        "Whatever the drain was moving is in the spool or the queue, and in the end in the queue, once",
        arguments: formats)
    func drain(format: Disk.Format) throws {
        let bench = try DiskBench(format, seed: seed)
        var all: Set<String> = []
        var lost: Set<String> = []
        var midway = 0
        for cut in 0..<cuts {
            // Beside what the last cut has left, as the disk is small; each time for another one, so that nobody's
            // ceiling is reached.
            try bench.fill(3000 - bench.names().count, for: "user\(cut)")
            all.formUnion(try bench.names())
            let drain = try bench.site.launch("spool-drain", as: bench.site.drainUser)
            try drain.waitForLine(containing: "drains ")
            let other = try bench.startFlushing()
            _ = try bench.cut(after: 0, 200)
            try other.waitForEnd()

            let queue = try bench.queue()
            #expect(try queue.faults() == ["ok"])
            // Without tables nothing is committed.
            let rows = ((try? queue.notices()) ?? []).map(\.name)
            let left = try bench.names()
            #expect(Set(rows).count == rows.count)
            lost.formUnion(all.subtracting(left).subtracting(rows))
            if !left.isEmpty && !all.isDisjoint(with: rows) { midway += 1 }
        }
        #expect(lost.isEmpty, "\(lost.count) neither in the spool nor in the queue")
        try bench.drain()
        #expect(try bench.names() == [])
        #expect(try bench.queue().notices().map(\.name).sorted() == all.sorted())
        report(format, "\(all.count) entries drained, \(midway) cuts midway, \(lost.count) lost")
    }

    @Test(
        "What dispatch called settled and `doorbell` registered stays so, and all the rest is sent in the end",
        arguments: formats)
    func dispatch(format: Disk.Format) throws {
        let bench = try DiskBench(format, seed: seed, answers: ["* = 200 delay=20"])
        let site = bench.site
        var requests: [SimulatedApple.Request] = []
        var seen = 0
        var settled: Set<String> = []
        var registered: Set<String> = []
        var lost: Set<String> = []
        for cut in 0..<cuts {
            // Each time for another one, so that nobody's ended wakes are pruned before their time.
            try site.addDevice(String(format: "%02x", cut % 256), user: "user\(cut)")
            try bench.fill(400, for: "user\(cut)")
            try bench.drain()
            let dispatch = try site.launch("dispatch", as: site.dispatchUser)
            try dispatch.waitForLine(containing: "started")
            let registering = try bench.startRegistering(first: 1000 * (cut + 1))
            let moment = try bench.cut(after: 50, 250)

            settled.formUnion(try bench.settled(by: dispatch, before: moment))
            registered.formUnion(try bench.registered(by: registering, before: moment))
            let queue = try bench.queue()
            #expect(try queue.faults() == ["ok"])
            #expect(try queue.notices().count == bench.written)
            let deliveries = try queue.deliveries()
            let ended = deliveries.filter { $0.end != nil }
            lost.formUnion(settled.subtracting(ended.filter { $0.end == "sent" }.map(\.id)))
            #expect(try queue.countedEnds() == Int64(ended.count))
            // An id is committed before Apple hears of it.
            let heardOf = site.apple.requests(beyond: &seen)
            #expect(Set(heardOf.compactMap { $0.header("apns-id") }).isSubset(of: deliveries.map(\.id)))
            requests += heardOf
            let list = try site.doorbell("device", "list")
            #expect(list.ending == .exited(0), "\(list.errors)")
            let devices = list.output.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
            lost.formUnion(registered.subtracting(devices))
        }
        #expect(lost.isEmpty, "lost \(lost.count)")
        #expect(!settled.isEmpty)
        #expect(!registered.isEmpty)
        let before = requests.count
        try bench.finish("dispatch", as: site.dispatchUser) {
            requests += site.apple.requests(beyond: &seen)
            return requests.count
        }
        let deliveries = try bench.queue().deliveries()
        #expect(deliveries.count == bench.written)
        // As the power goes so often, dispatch may take for its cause what was in hand each time.
        let poisoned = deliveries.filter { $0.end == "failed" && $0.reason == "poison" }.map(\.id)
        #expect(deliveries.count { $0.end == "sent" } + poisoned.count == deliveries.count)
        requests += site.apple.requests(beyond: &seen)
        let wakes = Dictionary(grouping: requests) { $0.header("apns-id") ?? "" }
        let unheard = Set(deliveries.map(\.id)).subtracting(wakes.keys)
        #expect(unheard.isSubset(of: poisoned))
        #expect(wakes.count + unheard.count == bench.written)
        for (id, tries) in wakes { #expect(Set(tries.map(\.body)).count == 1, "\(id)") }
        report(
            format,
            """
            \(settled.count) wakes called settled and \(registered.count) devices registered, \(lost.count) lost; \
            \(requests.count - wakes.count) requests repeated, \(requests.count - before) sent in the end; \
            \(poisoned.count) failed as poison
            """)
    }

    private func report(_ format: Disk.Format, _ counts: String) {
        print("power: DOORBELL_SEED=\(seed); \(format.testDescription), \(cuts) cuts: \(counts)")
    }
}
