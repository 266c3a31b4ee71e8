import Posix
import Queue
import Testing

@testable import DispatchCommand

@Suite("Watching for poison")
struct PoisonWatchTests {
    private let now = Samples.now

    @Test("After a clean end nothing is noted and nothing held back")
    func clean() {
        let watch = PoisonWatch(after: nil, now: now)
        #expect(!watch.isOn)
        #expect(watch.heldBack(beside: [1, 2]) == [])
    }

    @Test("While one that is doubted is in hand all that are doubted are held back")
    func oneAtATime() {
        let watch = PoisonWatch(after: UncleanEnd(doubted: [1, 2, 3]), now: now)
        #expect(watch.isOn)
        #expect(watch.heldBack(beside: []) == [])
        #expect(watch.heldBack(beside: [7]) == [])
        #expect(watch.heldBack(beside: [7, 2]) == [1, 2, 3])
    }

    @Test("What has come out of hand holds nothing back any more")
    func settled() {
        var watch = PoisonWatch(after: UncleanEnd(doubted: [1, 2]), now: now)
        watch.settled(1)
        #expect(watch.doubted == [2])
        #expect(watch.heldBack(beside: [1]) == [])
    }

    @Test(
        "The watch is over when all that was due at the start is settled, and not before",
        arguments: [(nil, false), (-60, true), (0, true), (1, false)] as [(Int?, Bool)])
    func over(nextDue: Int?, isOn: Bool) {
        var watch = PoisonWatch(after: UncleanEnd(), now: now)
        watch.looked(nextDue: nextDue.map { now.advanced(by: .seconds($0)) })
        #expect(watch.isOn == isOn)
    }
}
