import Foundation
import Posix
import Settings
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("dispatch in chaos", .serialized)
struct ChaosTests {
    /// `DOORBELL_SEED` repeats a run as far as the server goes.
    private let seed: UInt64

    init() {
        seed =
            ProcessInfo.processInfo.environment["DOORBELL_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("chaos: DOORBELL_SEED=\(seed)")
    }

    private func start(_ installation: Installation, _ environment: [String: String]) throws -> RunningProgram
    {
        try RunningProgram(
            try BuiltProgram.path("dispatch"), ["--config", installation.configuration],
            environment: environment)
    }

    /// Leaves a provider token in its file that is half an hour old, so that another may be signed at once.
    private func leaveProviderToken(in installation: Installation) throws -> String {
        let configuration = try Configuration.load(installation.configuration)
        let age = Duration.seconds(1_800)
        let clocks = Clocks(
            boot: { BootClock.now - age }, wall: { WallTime.now.advanced(by: .zero - age) }, jitter: { 0 },
            wait: Clocks.system.wait)
        let provider = try Provider(
            push: #require(configuration.push), tokenFile: configuration.queue.providerToken,
            overrides: Provider.Overrides(), previous: nil, clocks: clocks)
        return try provider.token(clocks) { Issue.record("not kept: \($0)") }
    }

    @Test("Hazard 14: 20,000 wakes end once each, whatever Apple answers and however connections end")
    func simulator() throws {
        let installation = try Installation(simulator: ["--chaos", "\(seed)"])
        let queue = try ChaosQueue(installation, users: 100, wakesPerUser: 50)
        let token = try leaveProviderToken(in: installation)
        let run = ChaosRun(queue: queue, dispatch: try installation.start("dispatch"))
        try run.finish(within: 300)
        let kept = try String(
            contentsOfFile: installation.directory.file("state/provider-token.json"), encoding: .utf8)
        #expect(!kept.contains(token), "no provider token was called bad and replaced")
        try run.judge(run.records(of: installation.apple.program))
    }

    @Test("2,000 wakes end once each with a server that shares no code with nghttp2")
    func independentServer() throws {
        let installation = try Installation()
        let certificates = try Certificates(in: installation.directory)
        let server = try PythonPeer.chaos(certificates, seed: seed)
        let queue = try ChaosQueue(installation, users: 20, wakesPerUser: 25)
        let run = ChaosRun(
            queue: queue,
            dispatch: try start(installation, certificates.environment(port: server.port)))
        try run.finish(within: 120)
        try run.judge(run.records(of: server.program))
        #expect(!server.program.output.contains("protocol error"))
    }

    @Test("hypercorn takes 500 pushes, through a graceful shutdown and a new start on its port under load")
    func gracefulShutdown() throws {
        let installation = try Installation()
        let certificates = try Certificates(in: installation.directory)
        let first = try PythonPeer.hypercorn(certificates, port: 0, in: installation.directory)
        let queue = try ChaosQueue(installation, users: 5, wakesPerUser: 25)
        let dispatch = try start(installation, certificates.environment(port: first.port))
        _ = try first.program.waitForOutput("a hundred pushes") {
            PythonPeer.accepted($0).count >= 100 ? true : nil
        }
        try PythonPeer.stop(first.program)
        #expect(try queue.isOpen())
        let second = try PythonPeer.hypercorn(certificates, port: first.port, in: installation.directory)
        try ChaosRun(queue: queue, dispatch: dispatch).finish(within: 60)
        let ended = try queue.ended()
        #expect(ended.count == 500)
        #expect(Set(ended.map(\.end)) == ["sent"])
        let accepted = PythonPeer.accepted(first.program.output + second.program.output)
        #expect(Set(ended.map(\.id)) == Set(accepted))
        print("hypercorn: \(accepted.count) accepted")
    }
}
