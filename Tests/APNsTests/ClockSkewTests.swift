import APNs
import Testing

@Suite("Clock skew")
struct ClockSkewTests {
    /// Observes an answer whose request was submitted at 1,000,000 and which came two seconds later.
    private func change(_ skew: inout ClockSkew, answeredAt: Int64) -> ClockSkew.Change? {
        skew.observed(answeredAt: answeredAt, requestedAt: 1_000_000, receivedAt: 1_000_002)
    }

    @Test("Before the first answer nothing is known; a clock that is right is told to nobody")
    func right() {
        var skew = ClockSkew()
        #expect(skew.seconds == nil)
        #expect(change(&skew, answeredAt: 1_000_001) == nil)
        #expect(skew.seconds == 0)
    }

    @Test(
        "A minute is tolerated on both sides of the time that the request took",
        arguments: [999_940, 1_000_062])
    func tolerance(answeredAt: Int64) {
        var skew = ClockSkew()
        #expect(change(&skew, answeredAt: answeredAt) == nil)
        #expect(skew.seconds == 0)
    }

    @Test("Hazard 48: a clock that is ahead is named once, and again when it is put right")
    func ahead() {
        var skew = ClockSkew()
        #expect(change(&skew, answeredAt: 996_400) == .ahead(3600))
        #expect(skew.seconds == 3600)
        #expect(change(&skew, answeredAt: 996_390) == nil)
        #expect(skew.seconds == 3610)
        #expect(change(&skew, answeredAt: 1_000_000) == .rightAgain)
        #expect(change(&skew, answeredAt: 1_000_000) == nil)
    }

    @Test("Hazard 48: a clock at the edge of what is tolerated is named once, not with every answer")
    func edge() {
        var skew = ClockSkew()
        #expect(change(&skew, answeredAt: 999_939) == .ahead(61))
        for answeredAt in [999_940, 999_939, 999_945, 999_969] as [Int64] {
            #expect(change(&skew, answeredAt: answeredAt) == nil)
        }
        #expect(skew.seconds == 31)
        #expect(change(&skew, answeredAt: 999_970) == .rightAgain)
        #expect(change(&skew, answeredAt: 999_940) == nil)
    }

    @Test("A clock that is behind is named, and so is one that goes from one side to the other")
    func behind() {
        var skew = ClockSkew()
        #expect(change(&skew, answeredAt: 1_000_102) == .behind(100))
        #expect(skew.seconds == -100)
        #expect(change(&skew, answeredAt: 999_939) == .ahead(61))
    }

    @Test("A clock that goes on drifting is named again at every minute")
    func drifts() {
        var skew = ClockSkew()
        let changes = stride(from: Int64(61), through: 200, by: 1).compactMap { seconds in
            change(&skew, answeredAt: 1_000_000 - seconds)
        }
        #expect(changes == [.ahead(61), .ahead(122), .ahead(183)])
    }

    @Test("Times that no clock shows are survived", arguments: [Int64.min, .max])
    func extremes(answeredAt: Int64) {
        var skew = ClockSkew()
        #expect(skew.observed(answeredAt: answeredAt, requestedAt: -5, receivedAt: 5) != nil)
        #expect(skew.observed(answeredAt: 0 - (answeredAt / 2), requestedAt: .min, receivedAt: .max) != nil)
    }

    @Test("Each change reads as a sentence that names the clock")
    func texts() {
        #expect("\(ClockSkew.Change.ahead(3600))" == "this machine's clock is 3600 s ahead of Apple's")
        #expect("\(ClockSkew.Change.behind(90))" == "this machine's clock is 90 s behind Apple's")
        #expect("\(ClockSkew.Change.rightAgain)" == "this machine's clock agrees with Apple's again")
    }
}
