import Testing

@testable import DispatchCommand

@Suite("How many connections a lane has")
struct ConnectionDemandTests {
    private func full(since: Int) -> ConnectionDemand.Load {
        ConnectionDemand.Load(isOpening: false, isProven: true, saturatedSince: .seconds(since))
    }

    private func opens(beside loads: [ConnectionDemand.Load], isProbing: Bool = false) -> Bool {
        ConnectionDemand.opensAnother(beside: loads, isProbing: isProbing, now: .seconds(100))
    }

    @Test("the first is opened at once, also for a probe")
    func first() {
        #expect(opens(beside: []))
        #expect(opens(beside: [], isProbing: true))
    }

    @Test("a second is opened when the first has been full for a second")
    func second() {
        #expect(opens(beside: [full(since: 99)]))
        #expect(
            !opens(beside: [ConnectionDemand.Load(isOpening: false, isProven: true, saturatedSince: nil)]))
        #expect(
            !opens(beside: [
                ConnectionDemand.Load(
                    isOpening: false, isProven: true, saturatedSince: .milliseconds(99_001))
            ]))
    }

    @Test("none is opened beside one that is opening or hasn't been of use yet")
    func unproven() {
        #expect(
            !opens(beside: [ConnectionDemand.Load(isOpening: true, isProven: false, saturatedSince: nil)]))
        #expect(
            !opens(beside: [
                ConnectionDemand.Load(isOpening: false, isProven: false, saturatedSince: .seconds(50))
            ]))
    }

    @Test("a probing lane has one, and no lane has more than four")
    func bounds() {
        #expect(!opens(beside: [full(since: 50)], isProbing: true))
        #expect(opens(beside: [full(since: 50), full(since: 60), full(since: 70)]))
        #expect(!opens(beside: [full(since: 50), full(since: 60), full(since: 70), full(since: 80)]))
    }
}
