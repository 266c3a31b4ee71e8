import Foundation
import Posix
import Queue
import SQLite
import TestSupport
import Testing

@Suite("dispatch and a queue in trouble")
struct QueueTroubleTests {
    @Test("Hazard 94: a queue that somebody else locks is waited for, and an answer in hand isn't forgotten")
    func locked() throws {
        let (installation, queue) = try oneWake(simulator: ["--answer", "* = 200 delay=2000"])
        let dispatch = try installation.start("dispatch")
        try installation.apple.waitForRequests(1)
        let holder = try Connection(path: installation.queue, busyTimeout: .seconds(5))
        try holder.execute("BEGIN IMMEDIATE")
        try dispatch.waitForLine(containing: "another process holds the write lock")
        #expect(try queue.ended(.sent) == 0)
        try holder.execute("COMMIT")
        try dispatch.waitForLine(containing: ": sent, accepted")
        try dispatch.waitForLine(containing: "works again")
        #expect(try queue.ended(.sent) == 1)
        #expect(installation.apple.requests.count == 1)
    }

    @Test("SIGTERM while somebody locks the queue ends in time, with 0, and says what isn't noted")
    func lockedAtStop() throws {
        let (installation, queue) = try oneWake(simulator: ["--answer", "* = 200 delay=2000"])
        let dispatch = try installation.start("dispatch")
        try installation.apple.waitForRequests(1)
        let holder = try Connection(path: installation.queue, busyTimeout: .seconds(5))
        try holder.execute("BEGIN IMMEDIATE")
        dispatch.send(SIGTERM)
        #expect(try dispatch.waitForEnd() == .exited(0))
        #expect(dispatch.errors.contains("1 answers not noted"))
        try holder.execute("COMMIT")
        #expect(try queue.due().count == 1)
    }

    @Test("A row that somebody ended while it was in hand stays as that person left it")
    func endedMeanwhile() throws {
        let installation = try Installation(simulator: ["--answer", "* = 200 delay=2000"])
        let queue = try TestQueue(installation)
        let device = try queue.register(0xA1)
        try queue.insert()
        let dispatch = try installation.start("dispatch")
        try installation.apple.waitForRequests(1)
        _ = try queue.store.removeDevice(device, now: .now)
        try dispatch.waitForLine(containing: "somebody else was faster")
        #expect(try queue.ended(.dropped, "device_gone") == 1)
        #expect(try queue.ended(.sent) == 0)
    }

    @Test("A delivery that was deferred while the clock was ahead is sent when the clock is right again")
    func clockSetBack() throws {
        let (installation, queue) = try oneWake()
        _ = try queue.store.fanOut(limit: 10, now: WallTime.now.advanced(by: .seconds(365 * 86_400))) {
            _, to in
            .deliver(
                to.devices.map {
                    NewDelivery(
                        device: $0.device.id, apnsID: "5b0e1d6a-934c-5f27-a851-0cd73e62f419", collapseID: nil,
                        expiration: WallTime.now.advanced(by: .seconds(3600)))
                })
        }
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0))
        #expect(try queue.ended(.sent) == 1)
    }

    @Test("--once ends with 75 when a paused lane keeps something back")
    func onceKeptBack() throws {
        let (installation, queue) = try oneWake(simulator: ["--answer", "* = 403 InvalidProviderToken"])
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(75))
        #expect(try queue.store.counts(now: .now).queued == 1)
    }
}
