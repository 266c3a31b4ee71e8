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

    @Test("A refused stream leaves the connection in use, one stream at a time until one is answered")
    func refused() {
        var machine = opened()
        for stream: Int32 in [1, 3, 5] { machine.submitted(stream, now: .zero) }
        #expect(result(machine.closed(3, code: 7)) == .notProcessed)
        #expect(!machine.isRetired)
        #expect(machine.freeStreams == 1)
        machine.submitted(7, now: .zero)
        #expect(machine.freeStreams == 0)
        // The rest of the burst: refused with the first, or answered, it says nothing about stream 7.
        #expect(result(machine.closed(5, code: 7)) == .notProcessed)
        machine.answered(1, provingConnection: true)
        #expect(machine.freeStreams == 0)
        machine.answered(7, provingConnection: true)
        #expect(machine.freeStreams == 100)
        #expect(!machine.isRefusing)
    }

    @Test("Hazard 8: a server that goes on refusing is left, proven or not, and is trouble")
    func refusing() {
        var machine = opened()
        machine.submitted(1, now: .zero)
        machine.answered(1, provingConnection: true)
        for stream: Int32 in [3, 5] {
            machine.submitted(stream, now: .seconds(1))
            #expect(result(machine.closed(stream, code: 7)) == .notProcessed)
        }
        #expect(machine.isRefusing)
        #expect(machine.isRetired)
        #expect(machine.freeStreams == 0)
        #expect(result(machine.nextTimer()) == .zero)
        #expect(result(machine.timer(now: .seconds(1))) == .close(.refusing))
    }

    @Test("A stream opened after a refusal that ends in another way may be followed by another one")
    func probeLost() {
        var machine = opened()
        for stream: Int32 in [1, 3] { machine.submitted(stream, now: .seconds(1)) }
        _ = machine.closed(3, code: 7)
        machine.submitted(5, now: .seconds(1))
        #expect(result(machine.closed(5, code: 2)) == .lost)
        #expect(machine.freeStreams == 1)
        machine.submitted(7, now: .seconds(1))
        machine.received(now: .seconds(30))
        machine.answered(1, provingConnection: true)
        #expect(result(machine.timer(now: .seconds(31))) == .cancel([7]))
        #expect(machine.freeStreams == 1)
        #expect(!machine.isRefusing)
    }

    @Test("Hazard 38: with the last stream id a connection retires itself, and that stream may answer")
    func lastStreamID() {
        var machine = opened()
        machine.submitted(.max - 2, now: .zero)
        #expect(machine.freeStreams == 99)
        machine.submitted(.max, now: .zero)
        #expect(machine.isRetired)
        #expect(machine.freeStreams == 0)
        machine.answered(.max, provingConnection: true)
        #expect(machine.openStreams == 1)
    }

    @Test("It is known since when only the server's limit keeps a connection from taking more")
    func saturated() {
        var machine = ConnectionMachine(now: .zero)
        #expect(machine.saturatedSince == nil)
        machine.settingsReceived(maximumStreams: 2, now: .seconds(1))
        #expect(machine.saturatedSince == nil)
        machine.submitted(1, now: .seconds(2))
        machine.submitted(3, now: .seconds(3))
        #expect(machine.saturatedSince == .seconds(3))
        machine.settingsReceived(maximumStreams: 1, now: .seconds(4))
        #expect(machine.saturatedSince == .seconds(3))
        machine.answered(1, provingConnection: true)
        #expect(machine.saturatedSince == .seconds(3))
        machine.answered(3, provingConnection: true)
        #expect(machine.saturatedSince == nil)
        machine.settingsReceived(maximumStreams: 0, now: .seconds(5))
        #expect(machine.saturatedSince == .seconds(5))
        machine.retire(now: .seconds(6))
        #expect(machine.saturatedSince == nil)
    }

    @Test("A connection that refuses streams isn't full: a second one would be refused as well")
    func refusedNotSaturated() {
        var machine = opened(1)
        machine.submitted(1, now: .zero)
        _ = machine.closed(1, code: 7)
        machine.submitted(3, now: .zero)
        #expect(machine.saturatedSince == nil)
        machine.answered(3, provingConnection: true)
        machine.submitted(5, now: .seconds(1))
        #expect(machine.saturatedSince == .seconds(1))
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
