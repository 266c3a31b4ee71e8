import APNs
import Testing

@Suite("Connection")
struct ConnectionMachineTests {
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

    @Test("A stream that is reset is judged by its code, and only once")
    func reset() {
        var machine = opened()
        machine.submitted(1, now: .zero)
        machine.submitted(3, now: .zero)
        #expect(result(machine.closed(1, code: 7)) == .notProcessed)
        #expect(result(machine.closed(1, code: 7)) == nil)
        #expect(result(machine.closed(3, code: 2)) == .lost)
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
        #expect(!machine.isSound)
        machine.submitted(3, now: .zero)
        machine.answered(3, provingConnection: true)
        #expect(machine.isSound)
        machine.retire(now: .zero)
        #expect(!machine.isSound)
        #expect(!machine.isUseless)
    }
}
