import HTTP2
import Testing

@testable import APNsSimulatorCommand

@Suite("Playing a connection's script")
struct ConnectionPlayTests {
    private func play(_ steps: ConnectionStep...) -> ConnectionPlay {
        ConnectionPlay(ConnectionScript(steps: steps))
    }

    private func second(_ count: Int) -> Duration { .seconds(count) }

    @Test("Without a script requests wait for TLS and are then answered by the rules")
    func noScript() {
        var play = ConnectionPlay(nil)
        #expect(play.accepted(now: .zero) == [])
        #expect(play.treatment() == nil)
        #expect(play.established(now: .zero) == [])
        #expect(play.treatment() == .answer(nil))
        #expect(play.nextTimer == nil)
    }

    @Test("Steps begin when TLS is done, and only then")
    func beginning() {
        var play = play(.act(.streams(3)), .treat(.reset(.cancel), .requests(1)))
        #expect(play.accepted(now: .zero) == [])
        #expect(play.advance(now: .zero) == [])
        #expect(
            play.established(now: .zero) == [.act(.streams(3)), .treat(.reset(.cancel), .requests(1))])
        #expect(play.established(now: .zero) == [])
        #expect(play.treatment() == .reset(.cancel))
    }

    @Test("A step for a number of requests ends with the last of them, and what follows is done at once")
    func requests() {
        let goAway = ConnectionStep.act(.goAway(.init()))
        var play = play(
            .treat(.answer(nil), .requests(2)), goAway, .act(.streams(1)), .treat(.ignore, .requests(1)))
        _ = play.established(now: .zero)
        #expect(play.treatment() == .answer(nil))
        #expect(play.advance(now: .zero) == [])
        #expect(play.treatment() == .answer(nil))
        #expect(play.treatment() == nil)
        #expect(
            play.advance(now: .zero) == [goAway, .act(.streams(1)), .treat(.ignore, .requests(1))])
        #expect(play.treatment() == .ignore)
        #expect(play.advance(now: .zero) == [])
        #expect(play.treatment() == .answer(nil))
    }

    @Test("A step for a time ends by the clock, whatever comes")
    func spans() {
        var play = play(.treat(.wait, .span(.seconds(2))), .treat(.silence, .span(.seconds(3))), .act(.close))
        _ = play.established(now: second(10))
        #expect(play.nextTimer == second(12))
        #expect(play.treatment() == nil)
        #expect(!play.isMute)
        #expect(play.advance(now: second(11)) == [])
        #expect(play.advance(now: second(12)) == [.treat(.silence, .span(.seconds(3)))])
        #expect(play.nextTimer == second(15))
        #expect(play.isMute)
        #expect(play.treatment() == .ignore)
        #expect(play.advance(now: second(15)) == [.act(.close)])
        #expect(!play.isMute)
    }

    @Test("Silence doesn't write, who stops reading doesn't read, and who hangs does neither")
    func flags() {
        func flags(_ manner: ConnectionStep.Manner) -> [Bool] {
            var play = play(.treat(manner, .forEver))
            _ = play.accepted(now: .zero)
            _ = play.established(now: .zero)
            #expect(play.nextTimer == nil)
            return [play.isMute, play.isDeaf]
        }
        #expect(flags(.silence) == [true, false])
        #expect(flags(.stopReading) == [false, true])
        #expect(flags(.hang) == [true, true])
        #expect(flags(.ignore) == [false, false])
    }

    @Test("What comes before TLS begins with the connection")
    func beforeTLS() {
        var rejecting = play(.act(.reject))
        #expect(rejecting.accepted(now: .zero) == [.act(.reject)])
        var hanging = play(.treat(.hang, .forEver))
        #expect(hanging.accepted(now: .zero) == [.treat(.hang, .forEver)])
    }

    @Test("A step for no request or no time is passed over")
    func nothing() {
        var play = play(
            .treat(.silence, .span(.zero)), .treat(.reset(.cancel), .requests(0)), .treat(.ignore, .forEver))
        #expect(play.established(now: .zero).count == 3)
        #expect(play.treatment() == .ignore)
    }
}
