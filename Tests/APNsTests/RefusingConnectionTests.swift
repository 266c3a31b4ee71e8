import APNs
import Testing

@Suite("Connection whose server refuses streams")
struct RefusingConnectionTests {
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
        #expect(machine.isUseless)
        #expect(machine.isRetired)
        #expect(machine.freeStreams == 0)
        #expect(result(machine.nextTimer()) == .zero)
        #expect(result(machine.timer(now: .seconds(1))) == .close(.refusing))
    }

    @Test("What a server took before it refused the others has its time: it may be answered")
    func refusingAndAnswering() {
        var machine = opened()
        for stream: Int32 in [1, 3] { machine.submitted(stream, now: .zero) }
        #expect(result(machine.closed(3, code: 7)) == .notProcessed)
        machine.submitted(5, now: .seconds(1))
        #expect(result(machine.closed(5, code: 7)) == .notProcessed)
        machine.received(now: .seconds(1))
        #expect(machine.isUseless)
        #expect(result(machine.nextTimer()) == .seconds(11))
        #expect(result(machine.timer(now: .seconds(2))) == .none)
        machine.answered(1, provingConnection: true)
        #expect(machine.isUseless)
        #expect(result(machine.timer(now: .seconds(2))) == .close(.refusing))
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
}
