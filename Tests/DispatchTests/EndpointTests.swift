import APNs
import Testing

@testable import DispatchCommand

@Suite("Where a lane connects to")
struct EndpointTests {
    @Test("Each environment has Apple's host, whose name the certificate must carry")
    func apple() throws {
        let production = try Endpoint.of(.production, port: 443, moved: nil)
        #expect(production.host == "api.push.apple.com")
        #expect(production.authority == "api.push.apple.com")
        let sandbox = try Endpoint.of(.sandbox, port: 2197, moved: nil)
        #expect(sandbox.authority == "api.sandbox.push.apple.com:2197")
    }

    @Test("A test moves one environment and leaves the other")
    func moved() throws {
        let moved = "production=127.0.0.1:8443"
        #expect(
            try Endpoint.of(.production, port: 443, moved: moved)
                == Endpoint(host: "127.0.0.1", port: 8443))
        #expect(try Endpoint.of(.sandbox, port: 443, moved: moved).host == "api.sandbox.push.apple.com")
    }

    @Test(
        "A malformed variable is refused, not ignored",
        arguments: [
            "production", "production=", "production=host", "production=host:port", "moon=host:1", "=:1",
        ])
    func malformed(moved: String) {
        #expect(throws: Endpoint.Malformed.self) { try Endpoint.of(.production, port: 443, moved: moved) }
    }
}

@Suite("Graceful stop")
struct StopMachineTests {
    @Test("Nothing in hand ends at once, something in hand waits for its answers")
    func graceful() {
        var stop = StopMachine()
        #expect(!stop.shouldEnd(inHand: 0, now: .zero))
        stop.stopRequested(now: .zero)
        #expect(stop.isStopping)
        #expect(stop.shouldEnd(inHand: 0, now: .zero))
        #expect(!stop.shouldEnd(inHand: 1, now: .seconds(9)))
    }

    @Test("The bound or a second signal always ends it")
    func bounded() {
        var stop = StopMachine()
        stop.stopRequested(now: .zero)
        #expect(stop.shouldEnd(inHand: 1, now: StopMachine.bound))
        stop.stopRequested(now: .seconds(1))
        #expect(stop.shouldEnd(inHand: 1, now: .seconds(1)))
    }
}
