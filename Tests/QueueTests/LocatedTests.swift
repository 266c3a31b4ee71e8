import Posix
import SQLite
import TestSupport
import Testing

@testable import Queue

@Suite("A notice in hand, and where its mail was found")
struct LocatedTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    private func insert(_ names: [String], user: String = "alice") throws {
        _ = try queue.store.insert(names.map { TemporaryQueue.notice($0, user: user) }, now: now)
    }

    private func names(_ waiting: [WaitingNotice]) -> [String] {
        waiting.map { String(decoding: $0.notice.spoolName, as: UTF8.self) }
    }

    @Test(
        "Of one account so many are given as aren't in hand yet, and others' besides, however many are in hand"
    )
    func perAccount() throws {
        try insert((0..<10).map { "a\($0)" })
        try insert(["b0"], user: "bob")
        let first = try queue.store.waiting(limit: 4, perAccount: 3)
        #expect(names(first) == ["a0", "a1", "a2", "b0"])
        #expect(queue.store.placesAreTaken)
        let inHand = Set(first.map(\.notice.id))
        #expect(try queue.store.waiting(limit: 4, perAccount: 3, excluding: inHand).isEmpty)
        try insert(["c0"], user: "carol")
        #expect(names(try queue.store.waiting(limit: 1, perAccount: 3, excluding: inHand)) == ["c0"])
        _ = try queue.store.fanOut([LocatedNotice(first[1].notice)], now: now) { _, _ in .drop(.noDevice) }
        let left = inHand.subtracting([first[1].notice.id])
        #expect(names(try queue.store.waiting(limit: 1, perAccount: 3, excluding: left)).count == 1)
        #expect(
            names(try queue.store.waiting(limit: 9, perAccount: 3, excluding: left)).contains("a3"))
    }

    @Test("Whether it may ring depends on its account's devices and wish")
    func mayRing() throws {
        try insert(["a0"])
        #expect(try queue.store.waiting(limit: 1, perAccount: 1).map(\.mayRing) == [false])
        let device = try queue.store.register(TemporaryQueue.device(), now: now)
        #expect(try queue.store.waiting(limit: 1, perAccount: 1).map(\.mayRing) == [true])
        _ = try queue.store.removeDevice(device, now: now)
        #expect(try queue.store.waiting(limit: 1, perAccount: 1).map(\.mayRing) == [false])
    }

    @Test("How its uid is known, or why not, is committed with the decision, and traced by wake and delivery")
    func uidSource() throws {
        let device = try queue.store.register(TemporaryQueue.device(), now: now)
        try insert(["a0", "a1"])
        let waiting = try queue.store.waiting(limit: 2, perAccount: 2).map(\.notice)
        let located = [LocatedNotice(waiting[0], uidSource: "not_found"), LocatedNotice(waiting[1])]
        _ = try queue.store.fanOut(located, now: now) { notice, _ in
            .deliver([
                NewDelivery(device: device, apnsID: "id-\(notice.id)", collapseID: nil, expiration: now)
            ])
        }
        #expect(try queue.store.wakes(of: "alice", limit: 9).map(\.uidSource) == [nil, "not_found"])
        #expect(try queue.store.trace(apnsID: "id-1")?.uidSource == "not_found")
        #expect(try queue.store.trace(apnsID: "id-2")?.uidSource == nil)
    }

    @Test(
        "Which mails were named lately is told, the oldest first, of so many notices; one that waits names none"
    )
    func named() throws {
        try insert((0..<5).map { "a\($0)" })
        let waiting = try queue.store.waiting(limit: 5, perAccount: 5)
        let located = (1...4).map { number in
            LocatedNotice(
                waiting[number - 1].notice,
                at: LocatedNotice.Place(
                    folder: "INBOX", uid: number == 3 ? 0 : UInt32(number), uidValidity: 5))
        }
        _ = try queue.store.fanOut(located, now: now) { _, _ in .drop(.noDevice) }
        let named = try queue.store.namedLately(limit: 4)
        #expect(
            named.map(\.user) == ["alice", "alice"]
                && named.map(\.place) == [2, 4].map { located[$0 - 1].place })
        #expect(try queue.store.namedLately(limit: 100).count == 3)
    }

    @Test("A folder that is one too many for its UIDVALIDITY to be noted has none that it could have kept")
    func unnoted() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        try queue.connection().run(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
            INSERT INTO folders (account, folder, uid_validity) SELECT accounts.id, i, 1 FROM n, accounts
            """)
        try insert(["a0"])
        let notice = try queue.store.waiting(limit: 1, perAccount: 1)[0].notice
        _ = try queue.store.fanOut([LocatedNotice(notice)], now: now) { _, recipients in
            #expect(recipients.firstUIDValidity == 0)
            return .drop(.noDevice)
        }
    }

    @Test("Its place is committed with the decision, which sees it; one that waits no more is passed over")
    func place() throws {
        let device = try queue.store.register(TemporaryQueue.device(), now: now)
        try insert(["a0"])
        let notice = try queue.store.waiting(limit: 1, perAccount: 1)[0].notice
        let located = LocatedNotice(
            notice, at: LocatedNotice.Place(folder: "INBOX.Lists", uid: 7, uidValidity: 5))
        var seen: [Notice] = []
        for _ in 1...2 {
            _ = try queue.store.fanOut([located], now: now) { notice, recipients in
                seen.append(notice)
                #expect(recipients.firstUIDValidity == nil)
                return .deliver([
                    NewDelivery(device: device, apnsID: "id", collapseID: nil, expiration: now)
                ])
            }
        }
        #expect(seen.map(\.folder) == ["INBOX.Lists"])
        let due = try queue.store.due(
            now: now, limit: 9, excluding: [])
        #expect(due.map(\.notice.uid) == [7])
        #expect(due.map(\.notice.uidValidity) == [5])
        #expect(due.map(\.notice.folder) == ["INBOX.Lists"])
        // It is what the next one of that folder is compared with.
        try insert(["a1"])
        let next = try queue.store.waiting(limit: 1, perAccount: 1)[0].notice
        _ = try queue.store.fanOut([LocatedNotice(next, at: located.place)], now: now) { _, recipients in
            #expect(recipients.firstUIDValidity == 5)
            return .drop(.noDevice)
        }
    }
}
