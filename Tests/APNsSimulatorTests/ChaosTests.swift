import HTTP2
import TestSupport
import Testing

@testable import APNsSimulatorCommand

@Suite("Chaos")
struct ChaosTests {
    @Test("The same seed makes up the same, and another something else")
    func seeds() {
        func made(_ seed: UInt64) -> [String] {
            var chaos = Chaos(seed: seed)
            return (0..<50).flatMap { _ in ["\(chaos.script())", "\(chaos.answer(tokenAge: 0))"] }
        }
        #expect(made(1) == made(1))
        #expect(made(1) != made(2))
    }

    @Test("What it makes up can be written down and read again, and every kind of end and of phase comes up")
    func scripts() throws {
        var chaos = Chaos(seed: 7)
        var names: Set<String> = []
        for _ in 0..<500 {
            let made = chaos.script()
            names.formUnion(made.steps.map(\.name))
            var script = Script()
            try script.add(lines: "connection 1 = \(made)")
            #expect(script.connections.script(of: 1) == made)
        }
        #expect(
            names == [
                "reject", "streams", "answer", "refuse", "reset", "wait", "stop-reading", "goaway", "ignore",
                "silence", "close", "abort",
            ])
    }

    @Test("Every connection comes to an end by itself, once enough has been asked of it")
    func ends() {
        var chaos = Chaos(seed: 8)
        for _ in 0..<500 {
            let last = chaos.script().steps.last
            #expect(last == .act(.close) || last == .act(.abort) || last == .act(.reject))
        }
    }

    @Test("Nine answers of ten are 200, and every documented reason comes up")
    func answers() {
        let steps = (0...ChaoticAnswers.lastTicket).map(ChaoticAnswers.pick)
        let good = steps.filter { $0.status == 200 }.count
        #expect((9 * steps.count / 10..<steps.count).contains(good))
        #expect(Set(documented).subtracting(steps.compactMap(\.reason)) == [])
    }

    @Test("A provider token is called bad only when it is so old that the client may sign another at once")
    func providerTokens() {
        func blamed(tokenAge: Int64) -> Set<String> {
            var chaos = Chaos(seed: 10)
            return Set(
                (0..<50_000).map { _ in chaos.answer(tokenAge: tokenAge) }.filter(\.blamesProviderToken)
                    .compactMap(\.reason))
        }
        #expect(blamed(tokenAge: 20 * 60) == [])
        #expect(blamed(tokenAge: 21 * 60) == ["ExpiredProviderToken", "InvalidProviderToken"])
    }

    @Test("Refusals come in every form")
    func forms() {
        var chaos = Chaos(seed: 9)
        let refusals = (0..<3_000).map { _ in chaos.answer(tokenAge: 0) }.filter { $0.status != 200 }
        #expect(Set(refusals.map(\.body)) == [.json, .split, .none, .html])
    }

    @Test("A client that goes on gets its answers in the end")
    func workGetsDone() throws {
        let directory = try TemporaryDirectory()
        let simulator = try SimulatedApple(in: directory, ["--chaos", "5"])
        let request = try simulator.request()
        var good = 0
        for _ in 0..<100 where good < 50 {
            do {
                let client = try simulator.client()
                while good < 50 {
                    let stream = try client.submit(request)
                    let isAnswered = try client.wait { events in
                        events.lazy.compactMap { event in
                            if case .streamClosed(stream, let code) = event { code == .noError } else { nil }
                        }.first
                    }
                    if isAnswered, try client.waitForStatus(stream) == "200" { good += 1 }
                }
            } catch {
                // This connection has had its bad luck.
            }
        }
        #expect(good == 50)
    }

    /// Handling notification responses from APNs.
    private let documented = [
        "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
        "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken",
        "MissingTopic", "PayloadEmpty", "TopicDisallowed", "BadCertificate", "BadCertificateEnvironment",
        "BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken", "ExpiredProviderToken", "Forbidden",
        "InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken", "BadPath",
        "MethodNotAllowed", "ExpiredToken", "Unregistered", "PayloadTooLarge", "TooManyProviderTokenUpdates",
        "TooManyRequests", "InternalServerError", "ServiceUnavailable", "Shutdown",
    ]
}
