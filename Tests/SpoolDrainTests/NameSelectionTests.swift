import SpoolDirectories
import TestSupport
import Testing

@testable import SpoolDrainCommand

struct NameSelectionTests {
    @Test("What came since the last pass counts beside what is held back, though its name is older")
    func newWithOlderName() {
        var selection = NameSelection(beyond: [5001: name("5")])
        selection.offer(name("3"), owner: 5001)
        selection.offer(name("4"), owner: 5001, isNew: true)
        selection.offer(name("6"), owner: 5001)
        #expect(selection.inTurns() == [name("4"), name("6")])
        #expect(selection.heldBack == 1)
    }

    /// A name whose order is that of `number`.
    private func numbered(_ owner: UInt32, _ number: Int) -> SpoolName {
        name("\(1_000_000 + number).\(owner)")
    }

    @Test("Owners take turns, each with the oldest first, whatever the directory's order")
    func turns() {
        var selection = NameSelection()
        for number in [5, 1, 4] { selection.offer(numbered(1, number), owner: 1) }
        for number in [3, 2] { selection.offer(numbered(2, number), owner: 2) }
        #expect(
            selection.inTurns() == [
                numbered(1, 1), numbered(2, 2), numbered(1, 4), numbered(2, 3), numbered(1, 5),
            ])
        #expect(selection.leftOut == 0)
    }

    @Test(
        "Of one owner's flood the oldest are kept, and the others' entries are not delayed",
        arguments: [0, 1, 2] as [UInt64])
    func flood(order: UInt64) {
        var random = SplitMix(state: order)
        var flood = Array(0..<5000)
        if order > 0 { flood.shuffle(using: &random) } else { flood.reverse() }
        var selection = NameSelection(inAll: 1024)
        for number in flood { selection.offer(numbered(1, number), owner: 1) }
        selection.offer(numbered(2, 9999), owner: 2)
        #expect(selection.round == 2)
        let names = selection.inTurns()
        #expect(names[1] == numbered(2, 9999))
        #expect(names.filter { $0 != names[1] } == (0..<names.count - 1).map { numbered(1, $0) })
        #expect((512...1024).contains(names.count))
        #expect(selection.leftOut == 5001 - names.count)
    }

    @Test("Names up to the one that is held back are passed over, those of its owner only")
    func beyond() {
        var selection = NameSelection(beyond: [1: numbered(1, 3)])
        for number in 0..<6 { selection.offer(numbered(1, number), owner: 1) }
        selection.offer(numbered(2, 0), owner: 2)
        #expect(selection.inTurns() == [numbered(2, 0), numbered(1, 4), numbered(1, 5)])
        #expect(selection.heldBack == 4)
        #expect(selection.leftOut == 0)
    }

    @Test("With many owners the bound holds, and each keeps its oldest")
    func manyOwners() {
        var selection = NameSelection(inAll: 64)
        for owner in 0..<UInt32(20) {
            for number in 0..<10 { selection.offer(numbered(owner, number), owner: owner) }
        }
        #expect(selection.round == 20)
        let names = selection.inTurns()
        #expect(names.count == 2 * 20)
        #expect(Set(names.prefix(20)) == Set((0..<20).map { numbered($0, 0) }))
        #expect(selection.leftOut == 200 - names.count)
    }

    @Test("With more owners than names are kept for, the bound holds")
    func tooManyOwners() {
        var selection = NameSelection(inAll: 64)
        for owner in 0..<UInt32(100) { selection.offer(numbered(owner, 0), owner: owner) }
        #expect(selection.inTurns().count == 64)
        #expect(selection.leftOut == 36)
    }
}
