import Foundation
import Queue
import TestSupport
import Testing

@Suite("dispatch and what it dies of")
struct PoisonTests {
    /// A wake whose answer never comes, and a device for others whose answers do.
    private func installation() throws -> (Installation, TestQueue) {
        let (installation, queue) = try oneWake(
            simulator: ["connection * = streams 10", "a1 = 200 delay=600000"].flatMap { ["--answer", $0] })
        try queue.register(0xB1, folders: ["Lists"])
        return (installation, queue)
    }

    /// Has dispatch killed with the first wake in hand, when another one has been sent.
    private func kill(_ installation: Installation, _ queue: TestQueue) throws {
        try queue.insert(folder: "Lists")
        let before = installation.apple.requests.count
        let dispatch = try installation.start("dispatch")
        try dispatch.waitForLine(containing: ": sent, accepted")
        try installation.apple.waitForRequests(before + 2)
        dispatch.send(SIGKILL)
        try dispatch.waitForEnd()
    }

    @Test("Hazard 67: a wake in hand each time dispatch died fails as poison, and all others are sent")
    func poison() throws {
        let (installation, queue) = try installation()
        for _ in 1...5 { try kill(installation, queue) }
        try queue.insert(folder: "Lists")
        let dispatch = try installation.start("dispatch")
        try dispatch.waitForLine(containing: ": sent, accepted")
        dispatch.send(SIGTERM)
        #expect(try dispatch.waitForEnd() == .exited(0))

        let deadly = installation.apple.requests.filter { $0.deviceToken.hasPrefix("a1") }
        #expect(deadly.count == 5)
        #expect(Set(deadly.map { $0.header("apns-id") }).count == 1)
        #expect(dispatch.errors.contains("failed, poison"))
        #expect(dispatch.errors.contains("apns-id \(deadly.first?.header("apns-id") ?? "?")"))
        #expect(try queue.ended(.failed, "poison") == 1)
        #expect(try queue.ended(.sent) == 6)
        #expect(try installation.metrics(of: "dispatch").contains(#"{end="failed",reason="poison"} 1"#))
    }

    @Test("A wake that outlives a death is sent, and what dispatch was killed for before counts no more")
    func survivor() throws {
        let (installation, queue) = try oneWake(
            simulator: ["--answer", "* = 200 delay=600000, 200 delay=600000, 200 delay=600000, 200"])
        for requests in 1...3 {
            let dispatch = try installation.start("dispatch")
            try installation.apple.waitForRequests(requests)
            dispatch.send(SIGKILL)
            try dispatch.waitForEnd()
        }
        let ended = try installation.run("dispatch", ["--once"])
        #expect(ended.ending == .exited(0))
        #expect(ended.errors.contains("the last run died"))
        #expect(try queue.ended(.sent) == 1)
        #expect(try !installation.run("dispatch", ["--once"]).errors.contains("the last run died"))
    }

    @Test("When dispatch dies with hundreds in hand, all of them are sent by the next run but one")
    func blameless() throws {
        let (installation, queue) = try oneWake(
            simulator: ["connection 1-2 = streams 500, ignore", "connection * = streams 500"]
                .flatMap { ["--answer", $0] })
        try queue.register(0xC1, folders: ["*"])
        try queue.insert(300, folder: "Lists")
        for requests in [300, 600] {
            let dispatch = try installation.start("dispatch")
            try installation.apple.waitForRequests(requests)
            dispatch.send(SIGKILL)
            try dispatch.waitForEnd()
        }
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0))
        #expect(try queue.ended(.sent) == 302)
        #expect(try queue.ended(.failed) == 0)
    }
}
