import Posix
import SpoolDirectories
import TestSupport
import Testing

@testable import SpoolDrainCommand

struct CorruptHoldingTests {
    private func entry(_ owner: UInt32, _ since: Int64, size: Int = 100) -> CorruptEntry {
        CorruptEntry(
            name: name("\(owner).\(since)"), owner: owner, size: size,
            since: WallTime(milliseconds: since))
    }

    @Test("Of one owner the newest 100 stay, in whatever order they are seen", arguments: 0..<20)
    func perOwner(seed: UInt64) {
        var random = SplitMix(state: seed)
        var holding = CorruptHolding()
        let times = (Int64(0)..<250).shuffled(using: &random)
        let gone = times.flatMap { holding.add(entry(1, $0)) }
        #expect(holding.add(entry(2, 0)).isEmpty, "another owner's don't count")
        #expect(Set(gone) == Set((0..<150).map { entry(1, $0).name }))
        #expect(gone.count == 150)
    }

    @Test("Of one owner the newest stay that have a mebibyte together")
    func bytes() {
        var holding = CorruptHolding()
        #expect(holding.add(entry(1, 1, size: 1 << 19)).isEmpty)
        #expect(holding.add(entry(1, 2, size: 1 << 18)).isEmpty)
        #expect(holding.add(entry(2, 0, size: 1 << 20)).isEmpty)
        #expect(holding.add(entry(1, 3, size: 1 << 18)).isEmpty)
        #expect(holding.add(entry(1, 4, size: 1 << 19 + 1)) == [entry(1, 1).name, entry(1, 2).name])
    }

    @Test("One that is too large alone goes alone", arguments: [1 << 20 + 1, Int.max])
    func tooLarge(size: Int) {
        var holding = CorruptHolding()
        #expect(holding.add(entry(1, 1)).isEmpty)
        #expect(holding.add(entry(1, 2, size: size)) == [entry(1, 2).name])
        #expect(holding.add(entry(1, 3)).isEmpty)
    }

    @Test("In all the oldest goes, whosever it is")
    func inAll() {
        var holding = CorruptHolding(entriesInAll: 3)
        for owner in UInt32(1)...3 { #expect(holding.add(entry(owner, Int64(owner))).isEmpty) }
        #expect(holding.add(entry(4, 4)) == [entry(1, 1).name])
        #expect(holding.add(entry(5, 0)) == [entry(5, 0).name])
        #expect(holding.add(entry(3, 5)) == [entry(2, 2).name])
        #expect(holding.add(entry(3, 6)) == [entry(3, 3).name])
    }
}
