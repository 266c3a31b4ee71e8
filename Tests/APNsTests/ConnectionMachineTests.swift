import APNs
import Testing

@Suite("Connection")
struct ConnectionMachineTests {
    private func opened(_ maximumStreams: Int = 100) -> ConnectionMachine {
        var machine = ConnectionMachine(now: .zero)
        machine.settingsReceived(maximumStreams: maximumStreams, now: .zero)
        return machine
    }

    @Test("Hazard 33: nothing may be sent before the server's SETTINGS")
    func beforeSettings() {
        #expect(ConnectionMachine(now: .zero).freeStreams == 0)
    }

    @Test("Hazard 32: the server's limit holds, up and down, and zero is waiting")
    func limits() {
        var machine = opened(1)
        #expect(machine.freeStreams == 1)
        machine.submitted(1, now: .zero)
        #expect(machine.freeStreams == 0)
        machine.answered(1, provingConnection: true)
        machine.settingsReceived(maximumStreams: 100, now: .zero)
        #expect(machine.freeStreams == 100)
        for stream in stride(from: Int32(3), through: 41, by: 2) { machine.submitted(stream, now: .zero) }
        machine.settingsReceived(maximumStreams: 10, now: .zero)
        #expect(machine.freeStreams == 0)
        machine.settingsReceived(maximumStreams: 0, now: .zero)
        #expect(machine.freeStreams == 0)
    }

    @Test("Our own bound holds where the server names none")
    func ownBound() { #expect(opened(Int(UInt32.max)).freeStreams == 500) }

    @Test("GOAWAY takes the connection out of use; streams above its last id were not processed")
    func goAway() {
        var machine = opened()
        for stream: Int32 in [1, 3, 5, 7] { machine.submitted(stream, now: .zero) }
        #expect(result(machine.goAwayReceived(lastStream: 3, now: .zero)) == [5, 7])
        #expect(machine.isRetired)
        #expect(machine.freeStreams == 0)
        #expect(machine.openStreams == 2)
    }

    @Test("Hazard 16: a second GOAWAY with a lower id gives up more streams, none twice")
    func secondGoAway() {
        var machine = opened()
        for stream: Int32 in [1, 3, 5] { machine.submitted(stream, now: .zero) }
        #expect(result(machine.goAwayReceived(lastStream: .max, now: .zero)) == [])
        #expect(result(machine.goAwayReceived(lastStream: 1, now: .zero)) == [3, 5])
        #expect(result(machine.lost()) == [1])
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

    @Test("A stream that is reset is judged by its code, and only once")
    func reset() {
        var machine = opened()
        machine.submitted(1, now: .zero)
        machine.submitted(3, now: .zero)
        #expect(result(machine.closed(1, code: 7)) == .notProcessed)
        #expect(result(machine.closed(1, code: 7)) == nil)
        #expect(result(machine.closed(3, code: 2)) == .lost)
    }

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
        machine.submitted(1, now: .zero)
        machine.submitted(3, now: .seconds(20))
        machine.received(now: .seconds(25))
        #expect(result(machine.timer(now: .seconds(30))) == .cancel([1]))
        #expect(machine.openStreams == 1)
        #expect(result(machine.nextTimer()) == .seconds(50))
    }

    @Test("Hazard 1: a connection that has said nothing since its oldest request is dead")
    func silent() {
        var machine = opened()
        machine.submitted(1, now: .seconds(5))
        #expect(result(machine.timer(now: .seconds(35))) == .close(.silent))
        #expect(result(machine.lost()) == [1])
    }

    @Test("Hazard 22: a lost connection gives back every open stream exactly once")
    func lost() {
        var machine = opened()
        for stream: Int32 in [1, 3, 5] { machine.submitted(stream, now: .zero) }
        machine.answered(3, provingConnection: true)
        #expect(result(machine.lost()) == [1, 5])
        #expect(result(machine.lost()) == [])
        #expect(result(machine.nextTimer()) == nil)
    }

    @Test("A connection is proven by an answer that deals with a delivery, and by nothing else")
    func proven() {
        var machine = opened()
        machine.submitted(1, now: .zero)
        machine.answered(1, provingConnection: false)
        #expect(!machine.isProven)
        machine.submitted(3, now: .zero)
        machine.answered(3, provingConnection: true)
        #expect(machine.isProven)
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

    @Test("A connection that is no longer wanted before it is open closes at once")
    func retiredWhileOpening() {
        var machine = ConnectionMachine(now: .zero)
        machine.retire(now: .seconds(1))
        #expect(machine.isRetired)
        #expect(result(machine.nextTimer()) == .seconds(1))
        #expect(result(machine.timer(now: .seconds(1))) == .close(.drained))
    }

    @Test("Every address gets its share of the time for opening")
    func patience() {
        let machine = ConnectionMachine(now: .zero)
        #expect(machine.patience(addressesLeft: 4, now: .zero) == .seconds(5))
        #expect(machine.patience(addressesLeft: 3, now: .seconds(5)) == .seconds(5))
        #expect(machine.patience(addressesLeft: 1, now: .seconds(19)) == .seconds(1))
        #expect(machine.patience(addressesLeft: 1, now: .seconds(25)) == .zero)
    }
}
