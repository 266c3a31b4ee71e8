import APNs
import Testing

@testable import DispatchCommand

@Suite("The loop's timetable")
struct TimetableTests {
    private let production = LaneName(environment: .production, topic: "com.example.Mail")
    private let sandbox = LaneName(environment: .sandbox, topic: "com.example.Mail")

    private func outlook(
        sends: Bool = true, pushIsOn: Bool = true, hasUnsettled: Bool = false, inHand: Int = 0,
        isResolving: Bool = false, lanes: [Timetable.LaneOutlook]? = nil, deadlines: [Duration] = []
    ) -> Timetable.Outlook {
        Timetable.Outlook(
            sends: sends, pushIsOn: pushIsOn, hasUnsettled: hasUnsettled, inHand: inHand,
            isResolving: isResolving,
            lanes: lanes ?? [
                Timetable.LaneOutlook(name: production, hasRoom: true, isPaused: false, isInTrouble: false)
            ],
            deadlines: deadlines)
    }

    /// A timetable that knows of nothing to do at 100 s.
    private var idle: Timetable {
        var timetable = Timetable(now: .seconds(100))
        timetable.noticesWereTakenUp(areMore: false, areHeldUp: false)
        timetable.nothingIsDue(on: production)
        timetable.nothingIsDue(on: sandbox)
        return timetable
    }

    @Test("with nothing to do the next turn is a second away")
    func nothing() {
        #expect(idle.nextTurn(outlook(), now: .seconds(100)) == .seconds(101))
    }

    @Test("a deadline of a connection, a pause or a stop comes first when it is sooner")
    func deadline() {
        let soon = outlook(deadlines: [.milliseconds(100_300), .seconds(200)])
        #expect(idle.nextTurn(soon, now: .seconds(100)) == .milliseconds(100_300))
        #expect(idle.nextTurn(outlook(deadlines: [.seconds(90)]), now: .seconds(100)) == .seconds(100))
    }

    @Test("a deferred delivery is woken for, and makes its lane worth asking")
    func deferred() {
        var timetable = idle
        timetable.deliveryComes(at: .milliseconds(100_500))
        timetable.deliveryComes(at: .milliseconds(100_800))
        #expect(timetable.nextTurn(outlook(), now: .seconds(100)) == .milliseconds(100_500))
        timetable.clockMoved(to: .milliseconds(100_499))
        #expect(!timetable.mayHaveDue(production))
        timetable.clockMoved(to: .milliseconds(100_500))
        #expect(timetable.mayHaveDue(production))
    }

    @Test("notices, settlements and what is left of housekeeping go on at once")
    func atOnce() {
        var timetable = idle
        timetable.noticesWereTakenUp(areMore: true, areHeldUp: false)
        #expect(timetable.nextTurn(outlook(), now: .seconds(100)) == .seconds(100))
        #expect(idle.nextTurn(outlook(hasUnsettled: true), now: .seconds(100)) == .seconds(100))
        timetable = idle
        timetable.houseWasKept(needsMore: true)
        #expect(timetable.nextTurn(outlook(), now: .seconds(100)) == .seconds(100))
        #expect(result(timetable.isDue(.housekeeping, now: .seconds(100))))
        #expect(result(timetable.isDue(.housekeeping, now: .seconds(100))))
        timetable.houseWasKept(needsMore: false)
        #expect(!result(timetable.isDue(.housekeeping, now: .seconds(100))))
    }

    @Test("Notices are looked for again where more are ready or find room")
    func more() {
        for areMore in [false, true] {
            var timetable = idle
            timetable.noticesWereFannedOut(areMore: areMore, now: .seconds(100))
            #expect(timetable.noticesMayWait == areMore)
            #expect(timetable.mayHaveDue(production))
        }
    }

    @Test(
        "Notices that a ceiling holds up are looked for a second after deliveries ended, and before it is done"
    )
    func heldUp() {
        for areHeldUp in [false, true] {
            var timetable = idle
            timetable.noticesWereTakenUp(areMore: false, areHeldUp: areHeldUp)
            #expect(timetable.isDone(outlook()))
            timetable.deliveriesWereSettled(now: .seconds(100))
            timetable.deliveriesWereSettled(now: .milliseconds(100_900))
            #expect(timetable.mayHaveDue(production))
            timetable.nothingIsDue(on: production)
            #expect(timetable.isDone(outlook()) == !areHeldUp)
            timetable.clockMoved(to: .milliseconds(100_999))
            #expect(!timetable.noticesMayWait)
            timetable.clockMoved(to: .seconds(101))
            #expect(timetable.noticesMayWait == areHeldUp)
            timetable.noticesWereTakenUp(areMore: false, areHeldUp: areHeldUp)
            #expect(timetable.isDone(outlook()))
        }
    }

    @Test("a lane where something is due is served at once if it has room, and else waited for")
    func room() {
        var timetable = idle
        timetable.deliveryIsLeft(on: production)
        #expect(timetable.nextTurn(outlook(), now: .seconds(100)) == .seconds(100))
        let full = [
            Timetable.LaneOutlook(name: production, hasRoom: false, isPaused: false, isInTrouble: false)
        ]
        #expect(timetable.nextTurn(outlook(lanes: full), now: .seconds(100)) == .seconds(101))
    }

    @Test("while nothing is sent, neither notices nor due deliveries make it turn")
    func notSending() {
        let timetable = Timetable(now: .seconds(100))
        #expect(timetable.nextTurn(outlook(sends: false), now: .seconds(100)) == .seconds(101))
    }

    @Test("a queue that was busy is left alone until its hold-off ends, whatever waits")
    func holdOff() {
        var timetable = idle
        #expect(timetable.mayUseQueue(now: .seconds(100)))
        #expect(!result(timetable.queueWorked()))
        #expect(result(timetable.queueFailed(now: .seconds(100))))
        #expect(!timetable.mayUseQueue(now: .milliseconds(100_999)))
        #expect(timetable.nextTurn(outlook(hasUnsettled: true), now: .seconds(100)) == .seconds(101))
        #expect(timetable.mayUseQueue(now: .seconds(101)))
        #expect(!result(timetable.queueFailed(now: .seconds(101))))
        #expect(result(timetable.queueWorked()))
        #expect(timetable.mayUseQueue(now: .seconds(101)))
        // What others did meanwhile is looked for.
        #expect(timetable.noticesMayWait && timetable.mayHaveDue(production))
    }

    @Test("it is done when nothing waits, is in hand or unsettled, and what is due lies on paused lanes")
    func done() {
        #expect(idle.isDone(outlook()))
        #expect(!idle.isDone(outlook(inHand: 1)))
        #expect(!idle.isDone(outlook(hasUnsettled: true)))
        #expect(!idle.isDone(outlook(isResolving: true)))
        var timetable = idle
        timetable.deliveryIsLeft(on: production)
        #expect(!timetable.isDone(outlook()))
        let paused = [
            Timetable.LaneOutlook(name: production, hasRoom: false, isPaused: true, isInTrouble: true)
        ]
        #expect(timetable.isDone(outlook(lanes: paused)))
        #expect(timetable.isKeptBack(outlook(lanes: paused)))
        #expect(!timetable.isKeptBack(outlook()) && !idle.isKeptBack(outlook(lanes: paused)))
        timetable.noticesWereTakenUp(areMore: true, areHeldUp: false)
        #expect(!timetable.isDone(outlook(lanes: paused)))
    }

    @Test("with push off it is done whatever waits, so that --once ends")
    func pushOff() {
        #expect(Timetable(now: .zero).isDone(outlook(sends: false, pushIsOn: false)))
    }

    @Test("housekeeping and reports come round, and a report can be asked for sooner")
    func tasks() {
        var timetable = idle
        #expect(result(timetable.isDue(.report, now: .seconds(100))))
        #expect(!result(timetable.isDue(.report, now: .seconds(114))))
        timetable.deliveriesWereSettled(now: .seconds(104))
        #expect(!result(timetable.isDue(.report, now: .milliseconds(104_999))))
        #expect(result(timetable.isDue(.report, now: .seconds(105))))
        timetable.reportNow()
        #expect(result(timetable.isDue(.report, now: .seconds(105))))
        #expect(result(timetable.isDue(.housekeeping, now: .seconds(105))))
        #expect(!result(timetable.isDue(.housekeeping, now: .seconds(114))))
        #expect(result(timetable.isDue(.housekeeping, now: .seconds(115))))
    }
}
