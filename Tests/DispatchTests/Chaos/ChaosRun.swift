import Foundation
import TestSupport
import Testing

@testable import DispatchCommand

/// Lets a running dispatch work a queue off against a server that misbehaves, and judges the outcome.
struct ChaosRun {
    let queue: ChaosQueue
    let dispatch: RunningProgram

    /// A run that doesn't come to its end.
    struct Unfinished: Error, CustomStringConvertible {
        let lastLines: String
        var description: String { "work is left over; the last lines: \(lastLines)" }
    }

    /// Waits until every wake has ended, and stops dispatch; looks at what it takes of the system meanwhile.
    func finish(within seconds: Double) throws {
        let start = Date.now
        var use = ProcessUse(of: dispatch.processIdentifier)
        var seen = 0
        while try queue.isOpen() {
            guard Date.now.timeIntervalSince(start) < seconds else {
                throw Unfinished(lastLines: String(dispatch.errors.suffix(2_000)))
            }
            try queue.pullForward()
            try use.look()
            seen = dispatch.waitForNews(beyond: seen, within: 2)
        }
        let memory = try use.mostMemory()
        print(
            "\(queue.size) wakes: \(Int(Date.now.timeIntervalSince(start))) s, \(memory) MB, ", terminator: ""
        )
        print("\(use.mostDescriptors) descriptors")
        // A sanitizer keeps what the program has freed.
        if ProcessInfo.processInfo.environment["DOORBELL_SANITIZED"] == nil {
            #expect(memory < Self.mostMemory)
        }
        #expect(use.mostDescriptors < Self.mostDescriptors)
        dispatch.send(SIGTERM)
        #expect(try dispatch.waitForEnd() == .exited(0))
    }

    /// What a server has recorded when all its connections are over.
    func records(of server: RunningProgram) throws -> PeerRecords {
        try server.waitForOutput("all connections' ends") { output in
            guard let records = try? PeerRecords(output), records.openConnections == 0 else { return nil }
            return records
        }
    }

    /// In megabytes; an idle dispatch has some 20.
    private static let mostMemory = 100
    /// An idle dispatch has some 10.
    private static let mostDescriptors = 40
    /// Four lanes have some that take requests, and each may have as many that only wait for their last answers.
    private static let mostConnections = 4 * 2 * ConnectionDemand.most

    /// Checks what must hold whatever has happened.
    func judge(_ records: PeerRecords) throws {
        let ended = try queue.ended()
        #expect(Int64(ended.count) + (try queue.neverMade()) == Int64(queue.size))
        #expect(Set(ended.map(\.end)).isSubset(of: ["sent", "failed", "expired", "dropped"]))
        // Each row was counted as it ended: a second end of a row would be counted too.
        #expect(try queue.countedEnds() == Int64(ended.count) + queue.endedNotices())
        let requests = Dictionary(grouping: records.requests, by: \.id)
        #expect(Set(requests.keys).isSubset(of: Set(ended.map(\.id))))
        let latest = latestReceived(of: ended, requests)
        for row in ended { judge(row, requests[row.id] ?? [], records, latest) }
        try judgeDevices(records)
        #expect(records.mostConnections <= Self.mostConnections)
        let summary = Dictionary(grouping: ended) { "\($0.end) \($0.reason)" }.mapValues(\.count)
        print(
            "requests: \(records.requests.count) on \(records.connections) connections, \(records.mostConnections) at once; ends: \(summary)"
        )
    }

    /// The latest request of each connection whose answer has got to dispatch: its wake is sent, and has no other 200.
    private func latestReceived(
        of ended: [ChaosQueue.Ended], _ requests: [String: [PeerRecords.Request]]
    ) -> [Int: Int] {
        var latest: [Int: Int] = [:]
        for row in ended where row.end == "sent" {
            let accepted = (requests[row.id] ?? []).filter { $0.status == 200 }
            guard accepted.count == 1, let request = accepted.first else { continue }
            latest[request.connection] = max(latest[request.connection] ?? 0, request.number)
        }
        return latest
    }

    private func judge(
        _ row: ChaosQueue.Ended, _ requests: [PeerRecords.Request], _ records: PeerRecords,
        _ latestReceived: [Int: Int]
    ) {
        let isGone = row.reason.hasPrefix("device_gone")
        // A wake that goes with its device may be on its way at that moment.
        if !isGone {
            #expect(requests.allSatisfy { $0.at <= row.at }, "sent after it was settled: \(row), \(requests)")
        }
        if row.end == "sent" {
            #expect(requests.contains { $0.status == 200 }, "sent without a 200: \(row)")
        }
        // What left by a connection before an answer that was received has been received too.
        let received = requests.first { request in
            request.status == 200 && !request.isDelayed && records.wasAnswered(request)
                && request.number <= latestReceived[request.connection] ?? -1
        }
        guard let received else { return }
        #expect(requests.last?.number == received.number, "sent again after a 200: \(row), \(requests)")
        #expect(row.end == "sent" || isGone, "a 200 isn't settled: \(row), \(requests)")
    }

    /// A device goes for a reason that Apple has given for it, and is disabled for the third one of a kind.
    private func judgeDevices(_ records: PeerRecords) throws {
        let refusals = Dictionary(grouping: records.requests, by: \.deviceToken)
        for (id, device) in try queue.devices() {
            let refusals = refusals[device.token] ?? []
            if let reason = device.removedReason {
                let isDefinite = refusals.contains { refusal in
                    refusal.status == 410
                        ? refusal.timestamp ?? refusal.at >= device.registeredAt
                        : refusal.reason == "BadDeviceToken"
                }
                #expect(isDefinite, "device \(id) was removed for \(reason)")
            }
            if device.isDisabled {
                #expect(refusals.filter { $0.reason == "DeviceTokenNotForTopic" }.count >= 3)
            }
        }
    }
}
