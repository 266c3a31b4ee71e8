import Foundation
import Posix
import Queue
import TLS
import TestSupport
import Testing

@Suite("dispatch's connections")
struct ConnectionTests {
    @Test("500 waiting rows have at least 100 streams open at once on one connection")
    func manyStreams() throws {
        let installation = try Installation(simulator: ["--answer", "* = 200 delay=200"])
        let queue = try TestQueue(installation)
        try queue.register(0xA1, folders: ["*"])
        try queue.insert(500)
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0))
        let requests = try installation.apple.waitForRequests(500)
        #expect(requests.count == 500)
        #expect(Set(requests.map(\.connection)).count == 1)
        #expect(requests.map(\.openStreams).max() ?? 0 >= 100)
        #expect(try queue.ended(.sent) == 500)
    }

    @Test("Hazard 3: a server that dies and comes back gets every row, without a restart of dispatch")
    func serverRestarts() throws {
        let installation = try Installation(simulator: ["--answer", "* = 200 delay=100"])
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.insert(3)
        let dispatch = try installation.start("dispatch")
        try installation.apple.waitForRequests(1)
        installation.apple.program.send(SIGKILL)
        try dispatch.waitForLine(containing: "production com.example.Mail: paused")
        let second = try SimulatedApple(in: installation.directory, port: installation.apple.port)
        try queue.insert(first: 100)
        try dispatch.waitForLine("the last row sent") { _ in
            (try? queue.ended(.sent)) == 4 ? true : nil
        }
        try second.waitForRequests(1)
    }

    @Test("Hazard 78: an unknown root leaves rows pending, uncharged, and is named")
    func unknownRoot() throws {
        let installation = try Installation()
        let other = try ThrowAwayAuthority.issue(hostNames: ["127.0.0.1"])
        let ca = try installation.directory.write(
            "other.pem", String(decoding: other.authorityPEM, as: UTF8.self))
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.insert()
        var environment = installation.environment
        environment["DOORBELL_APNS_CA"] = ca
        let dispatch = try RunningProgram(
            try BuiltProgram.path("dispatch"), ["--config", installation.configuration],
            environment: environment)
        let line = try dispatch.waitForLine(containing: "paused")
        #expect(line.contains("certificate"))
        #expect(line.contains("issuer") || line.contains("authority"), "\(line)")
        #expect(try queue.due().map(\.attempts) == [0])
    }

    @Test("A certificate for another name leaves rows pending, uncharged, and is named")
    func wrongName() throws {
        let installation = try Installation()
        let nginx = try Nginx(in: installation.directory, hostName: "mail.example.org")
        defer { nginx.program.send(SIGTERM) }
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.insert()
        let dispatch = try RunningProgram(
            try BuiltProgram.path("dispatch"), ["--config", installation.configuration],
            environment: nginx.environment)
        let line = try dispatch.waitForLine(containing: "paused")
        #expect(line.contains("127.0.0.1"))
        #expect(line.contains("isn't for 127.0.0.1"))
        #expect(try queue.due().map(\.attempts) == [0])
    }

    @Test("A device that changes its environment while its push is open is pushed once")
    func movedMeanwhile() throws {
        let (installation, queue) = try oneWake(simulator: ["--answer", "* = 200 delay=2000"])
        let dispatch = try installation.start("dispatch")
        try installation.apple.waitForRequests(1)
        try queue.register(0xA1, environment: "sandbox")
        try dispatch.waitForLine(containing: ": sent, accepted")
        #expect(try queue.ended(.sent) == 1)
        #expect(installation.apple.requests.count == 1)
    }

    @Test("A connection that ends after Apple has refused a delivery pauses nothing")
    func usefulConnection() throws {
        let (installation, queue) = try oneWake(simulator: ["--answer", "* = 413 PayloadTooLarge"])
        let dispatch = try installation.start("dispatch")
        try dispatch.waitForLine(containing: "failed, PayloadTooLarge")
        installation.apple.program.send(SIGTERM)
        let line = try dispatch.waitForLine("the connection's end") {
            $0.contains("connection closed") || $0.contains("paused") ? $0 : nil
        }
        #expect(line.contains("connection closed"))
        #expect(try queue.ended(.failed) == 1)
    }

    @Test("A connection that ends without having been of use pauses its lane")
    func uselessConnection() throws {
        let (installation, _) = try oneWake(simulator: ["--answer", "* = 503 ServiceUnavailable"])
        let dispatch = try installation.start("dispatch")
        try dispatch.waitForLine(containing: "deferred, ServiceUnavailable")
        installation.apple.program.send(SIGTERM)
        let line = try dispatch.waitForLine("the connection's end") {
            $0.contains("connection closed") || $0.contains("paused") ? $0 : nil
        }
        #expect(line.contains("paused"))
    }

    @Test("A server that finds every connection idle makes pauses, not a busy loop")
    func alwaysIdle() throws {
        let (installation, queue) = try oneWake(simulator: ["--answer", "* = 400 IdleTimeout"])
        let dispatch = try installation.start("dispatch")
        try dispatch.waitForLine(containing: "paused")
        #expect(installation.apple.requests.count <= 2)
        #expect(try queue.due().map(\.attempts) == [0])
    }

    @Test("A second dispatch on the same queue exits 75 and names the first one's process")
    func second() throws {
        let installation = try Installation()
        let first = try installation.start("dispatch")
        try first.waitForLine(containing: "started")
        let second = try installation.run("dispatch", ["--once"])
        #expect(second.ending == .exited(75))
        #expect(second.errors.contains("process \(first.processIdentifier)"))
    }

    @Test("SIGTERM lets an open request answer, settles it and exits 0")
    func gracefulStop() throws {
        let (installation, queue) = try oneWake(simulator: ["--answer", "* = 200 delay=700"])
        let dispatch = try installation.start("dispatch")
        try installation.apple.waitForRequests(1)
        dispatch.send(SIGTERM)
        #expect(try dispatch.waitForEnd() == .exited(0))
        #expect(try queue.ended(.sent) == 1)
    }

    @Test("Each device is pushed to its environment's host, and trouble of one leaves the other untouched")
    func environments() throws {
        let installation = try Installation()
        let sandbox = try SimulatedApple(
            in: installation.directory, ["--answer", "* = 403 BadEnvironmentKeyIdInToken"])
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.register(0xA2, environment: "sandbox")
        try queue.insert(5)
        var environment = installation.environment
        environment["DOORBELL_APNS_HOST"] =
            "production=127.0.0.1:\(installation.apple.port),sandbox=127.0.0.1:\(sandbox.port)"
        let result = try RunningProgram.run(
            try BuiltProgram.path("dispatch"), ["--config", installation.configuration, "--once"],
            environment: environment)
        #expect(result.ending == .exited(75), "a paused lane keeps something back")
        #expect(result.errors.contains("sandbox com.example.Mail: paused, 403 BadEnvironmentKeyIdInToken"))
        #expect(!result.errors.contains("production com.example.Mail: paused"))
        let inProduction = try installation.apple.waitForRequests(5)
        #expect(Set(inProduction.map { $0.deviceToken.prefix(2) }) == ["a1"])
        #expect(Set(try sandbox.waitForRequests(1).map { $0.deviceToken.prefix(2) }) == ["a2"])
        #expect(try queue.ended(.sent) == 5)
        #expect(try queue.store.counts(now: .now).queued == 5)
    }
}
