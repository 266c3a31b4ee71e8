import Testing

@testable import DispatchCommand

@Suite("How many connections a lane has")
struct ConnectionDemandTests {
    private func stock(_ inUse: Int, sound: Int? = nil, draining: Int = 0) -> ConnectionDemand.Stock {
        ConnectionDemand.Stock(all: inUse + draining, inUse: inUse, sound: sound ?? inUse)
    }

    /// Whether one is opened at 100 s beside those that have left nothing free since a while before.
    private func opens(
        beside stock: ConnectionDemand.Stock, fullFor span: Duration? = nil, isProbing: Bool = false
    ) -> Bool {
        var demand = ConnectionDemand()
        if let span { demand.served(isSaturated: true, by: stock, now: .seconds(100) - span) }
        return demand.opensAnother(beside: stock, isProbing: isProbing, now: .seconds(100))
    }

    @Test("the first is opened at once, also for a probe")
    func first() {
        #expect(opens(beside: stock(0)))
        #expect(opens(beside: stock(0), isProbing: true))
    }

    @Test("a second is opened when nothing has been free for a second")
    func second() {
        #expect(opens(beside: stock(1), fullFor: .seconds(1)))
        #expect(!opens(beside: stock(1), fullFor: .milliseconds(999)))
        #expect(!opens(beside: stock(1)))
    }

    @Test("the second begins anew where something was free, or nothing was left to send, in between")
    func relieved() {
        var demand = ConnectionDemand()
        demand.served(isSaturated: true, by: stock(1), now: .seconds(98))
        demand.served(isSaturated: false, by: stock(1), now: .milliseconds(99_500))
        demand.served(isSaturated: true, by: stock(1), now: .milliseconds(99_600))
        demand.served(isSaturated: true, by: stock(1), now: .milliseconds(100_500))
        #expect(!demand.opensAnother(beside: stock(1), isProbing: false, now: .milliseconds(100_599)))
        #expect(demand.opensAnother(beside: stock(1), isProbing: false, now: .milliseconds(100_600)))
    }

    @Test("none is opened beside one that hasn't been of use yet or refuses streams, nor a second after that")
    func unsound() {
        #expect(!opens(beside: stock(2, sound: 1), fullFor: .seconds(50)))
        var demand = ConnectionDemand()
        demand.served(isSaturated: true, by: stock(2, sound: 1), now: .seconds(50))
        #expect(!demand.opensAnother(beside: stock(2), isProbing: false, now: .seconds(100)))
    }

    @Test("a minute passes after one that was of no use, but not for a lane that has none")
    func failed() {
        var demand = ConnectionDemand()
        demand.served(isSaturated: true, by: stock(1), now: .seconds(50))
        demand.failed(now: .seconds(60))
        #expect(!demand.opensAnother(beside: stock(1), isProbing: false, now: .seconds(119)))
        #expect(demand.opensAnother(beside: stock(1), isProbing: false, now: .seconds(120)))
        #expect(demand.opensAnother(beside: stock(0), isProbing: false, now: .seconds(61)))
    }

    @Test("a probing lane has one, and no lane has more than four that take requests")
    func bounds() {
        #expect(!opens(beside: stock(1), fullFor: .seconds(50), isProbing: true))
        #expect(opens(beside: stock(3), fullFor: .seconds(50)))
        #expect(!opens(beside: stock(4), fullFor: .seconds(50)))
    }

    @Test("those that only wait for answers count too: no lane has more than eight")
    func draining() {
        #expect(opens(beside: stock(0, draining: 7)))
        #expect(!opens(beside: stock(0, draining: 8)))
        #expect(!opens(beside: stock(2, draining: 6), fullFor: .seconds(50)))
    }
}
