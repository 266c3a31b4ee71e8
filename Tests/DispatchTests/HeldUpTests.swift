import Posix
import Queue
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("An account with its ceiling of open deliveries")
struct HeldUpTests {
    private let bench: LoopBench
    private let phone: Int64

    /// The first of two accounts has as many deliveries open as it may, none of them due, and one more notice.
    init() throws {
        bench = try LoopBench()
        phone = try bench.register(1)
        try bench.insert(QueueStore.accountCeiling, for: 1)
        let later = bench.wall.advanced(by: .seconds(3600))
        _ = try bench.store.fanOut(limit: QueueStore.accountCeiling, now: bench.wall) { [phone] notice, _ in
            .deliver([
                NewDelivery(
                    device: phone, apnsID: "\(notice.id)", collapseID: nil, expiration: later,
                    notBefore: later)
            ])
        }
        try bench.insert(for: 1, first: 20_000)
        try bench.register(2)
        try bench.insert(for: 2)
    }

    private var gauge: String? {
        bench.metrics.split(separator: "\n").last { $0.hasPrefix("doorbell_dispatch_accounts_held_up ") }
            .map(String.init)
    }

    @Test("Its further notices wait and others' go on; that and its end are told once, and counted")
    func heldUp() throws {
        try bench.run(until: "the other's wake is sent") { try bench.ended(.sent) == 1 }
        try bench.run(for: .seconds(60))
        #expect(try bench.store.counts(now: bench.wall).waiting == 1)
        #expect(bench.told("warning: some accounts have 10000 open deliveries").count == 1)
        #expect(gauge == "doorbell_dispatch_accounts_held_up 1")

        _ = try bench.store.removeDevice(phone, now: bench.wall)
        try bench.run(until: "the notice is fanned out") { try bench.ended(.dropped, "no_device") == 1 }
        try bench.run(for: .seconds(60))
        #expect(bench.told("info: no account's notices wait for its open deliveries any more").count == 1)
        #expect(bench.told("some accounts have").count == 1)
        #expect(gauge == "doorbell_dispatch_accounts_held_up 0")
    }
}
