import Testing

@testable import DispatchCommand

@Suite("How fast a lane opens connections")
struct OpeningAllowanceTests {
    @Test("thirty may be opened at once, and then one a second")
    func burst() {
        var allowance = OpeningAllowance()
        let start = Duration.seconds(5000)
        for _ in 0..<30 {
            #expect(allowance.next <= start)
            allowance.take(now: start)
        }
        for second in 1...5 {
            #expect(allowance.next == start + .seconds(second))
            allowance.take(now: start + .seconds(second))
        }
    }

    @Test("half a minute without an opening gives the whole burst again, and more time no more")
    func refilled() {
        var allowance = OpeningAllowance()
        for _ in 0..<30 { allowance.take(now: .seconds(10)) }
        for now in [Duration.seconds(40), .seconds(100_000)] {
            for _ in 0..<30 {
                #expect(allowance.next <= now)
                allowance.take(now: now)
            }
            #expect(allowance.next == now + .seconds(1))
        }
    }
}
