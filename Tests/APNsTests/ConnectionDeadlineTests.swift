import APNs
import Testing

@Suite("A connection's deadlines")
struct ConnectionDeadlineTests {
    @Test("An opening that takes too long is given up")
    func openingDeadline() {
        var machine = ConnectionMachine(now: .zero)
        #expect(result(machine.nextTimer()) == .seconds(20))
        #expect(result(machine.timer(now: .seconds(19))) == .none)
        #expect(result(machine.timer(now: .seconds(20))) == .close(.openingTimedOut))
    }

    @Test("A late answer cancels its stream while others go on")
    func responseDeadline() {
        var machine = opened()
        for stream: Int32 in [1, 3] { machine.submitted(stream, now: .zero) }
        machine.submitted(5, now: .seconds(20))
        machine.received(now: .seconds(25))
        machine.answered(3, provingConnection: true)
        #expect(result(machine.timer(now: .seconds(29))) == .none)
        #expect(result(machine.timer(now: .seconds(30))) == .cancel([1]))
        #expect(machine.openStreams == 1)
        #expect(!machine.isRetired)
    }

    @Test("A server that lives and answers nothing in time gets no more requests")
    func wedged() {
        var machine = opened()
        machine.submitted(1, now: .seconds(1))
        machine.submitted(3, now: .seconds(20))
        machine.received(now: .seconds(30))
        #expect(result(machine.timer(now: .seconds(31))) == .cancel([1]))
        #expect(machine.isRetired)
        #expect(machine.openStreams == 1)
    }

    @Test("Hazard 1: ten seconds of silence while requests wait make a PING, ten more the end")
    func silent() {
        var machine = opened()
        machine.submitted(1, now: .seconds(5))
        #expect(result(machine.nextTimer()) == .seconds(15))
        #expect(result(machine.timer(now: .seconds(14))) == .none)
        #expect(result(machine.timer(now: .seconds(15))) == .ping)
        #expect(result(machine.nextTimer()) == .seconds(25))
        #expect(result(machine.timer(now: .seconds(24))) == .none)
        #expect(result(machine.timer(now: .seconds(25))) == .close(.silent))
        #expect(result(machine.lost()) == [1])
    }

    @Test("Hazard 29: a server that answers a PING, or says anything, late but in time, is kept")
    func slow() {
        var machine = opened()
        machine.submitted(1, now: .zero)
        #expect(result(machine.timer(now: .seconds(10))) == .ping)
        machine.received(now: .seconds(19))
        #expect(result(machine.timer(now: .seconds(20))) == .none)
        #expect(result(machine.timer(now: .seconds(29))) == .ping)
    }

    @Test("An idle connection is asked for a sign of life once an hour, and given up without one")
    func idle() {
        var machine = opened()
        machine.received(now: .seconds(100))
        #expect(result(machine.nextTimer()) == .seconds(3700))
        #expect(result(machine.timer(now: .seconds(3699))) == .none)
        #expect(result(machine.timer(now: .seconds(3700))) == .ping)
        machine.received(now: .seconds(3701))
        #expect(result(machine.nextTimer()) == .seconds(7301))
        #expect(result(machine.timer(now: .seconds(7301))) == .ping)
        #expect(result(machine.timer(now: .seconds(7311))) == .close(.silent))
    }

    @Test("After GOAWAY what is below its last id has as long as any request, then it is unknown")
    func drainingDeadline() {
        var machine = opened()
        machine.submitted(1, now: .zero)
        machine.submitted(3, now: .seconds(5))
        #expect(result(machine.goAwayReceived(lastStream: 3, now: .seconds(5))) == [])
        machine.received(now: .seconds(29))
        #expect(result(machine.timer(now: .seconds(30))) == .cancel([1]))
        #expect(result(machine.timer(now: .seconds(34))) == .none)
        #expect(result(machine.timer(now: .seconds(35))) == .close(.drained))
        #expect(result(machine.lost()) == [3])
    }

    @Test("A server that allows no stream at all for half a minute is given up")
    func shut() {
        var machine = opened(1)
        machine.settingsReceived(maximumStreams: 0, now: .seconds(5))
        machine.settingsReceived(maximumStreams: 0, now: .seconds(9))
        #expect(result(machine.nextTimer()) == .seconds(35))
        #expect(result(machine.timer(now: .seconds(34))) == .none)
        #expect(result(machine.timer(now: .seconds(35))) == .close(.silent))
        machine.settingsReceived(maximumStreams: 1, now: .seconds(36))
        #expect(result(machine.timer(now: .seconds(99))) == .none)
    }

    @Test("Every address gets its share of the time for opening")
    func patience() {
        let machine = ConnectionMachine(now: .zero)
        #expect(machine.patience(addressesLeft: 4, now: .zero) == .seconds(5))
        #expect(machine.patience(addressesLeft: 3, now: .seconds(5)) == .seconds(5))
        #expect(machine.patience(addressesLeft: 1, now: .seconds(19)) == .seconds(1))
        #expect(machine.patience(addressesLeft: 1, now: .seconds(25)) == .zero)
    }

    @Test("A connection that is no longer wanted before it is open closes at once")
    func retiredWhileOpening() {
        var machine = ConnectionMachine(now: .zero)
        machine.retire(now: .seconds(1))
        #expect(machine.isRetired)
        #expect(result(machine.nextTimer()) == .seconds(1))
        #expect(result(machine.timer(now: .seconds(1))) == .close(.drained))
    }

    @Test("A drained connection closes once its last answer is in")
    func drained() {
        var machine = opened()
        machine.submitted(1, now: .zero)
        _ = machine.goAwayReceived(lastStream: 1, now: .seconds(1))
        #expect(result(machine.timer(now: .seconds(1))) == .none)
        machine.answered(1, provingConnection: true)
        #expect(result(machine.timer(now: .seconds(1))) == .close(.drained))
    }
}
