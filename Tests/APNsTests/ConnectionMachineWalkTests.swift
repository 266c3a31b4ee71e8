import Foundation
import TestSupport
import Testing

struct ConnectionMachineWalkTests {
    @Test(
        "Hazard 27: through a million events, legal or not, every stream ends once, no limit is passed, no timer spins"
    )
    func walk() throws {
        let seed =
            ProcessInfo.processInfo.environment["DOORBELL_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0 ... .max)
        var walk = ConnectionWalk(seed: seed)
        let clock = ContinuousClock()
        let start = clock.now
        for step in 0..<1_000_000 {
            do { try walk.step() } catch {
                Issue.record("\(error) at step \(step); repeat with DOORBELL_SEED=\(seed)")
                return
            }
        }
        print(
            "connection walk: DOORBELL_SEED=\(seed), \(clock.now - start), \(walk.submitted) streams,",
            "\(walk.pings) PINGs, \(walk.endings.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" })")
        // A walk that never gets there shows nothing.
        #expect(Set(walk.endings.keys) == ["openingTimedOut", "silent", "refusing", "drained"])
        #expect(walk.submitted > 100_000)
    }
}
