import Posix
import SQLite
import TestSupport
import Testing

@testable import Queue

@Suite("What one account may have in the queue")
struct CeilingTests {
    private let queue: TemporaryQueue
    private let now = TemporaryQueue.now

    init() throws { queue = try TemporaryQueue() }

    private func insert(_ names: [String], user: String = "alice", ceiling: Int = 5) throws -> [Insertion] {
        try queue.store.insert(
            names.map { TemporaryQueue.notice($0, user: user) }, now: now, ceiling: ceiling)
    }

    private func fanOut(_ limit: Int, ceiling: Int = 5) throws -> [String] {
        var shown: [String] = []
        _ = try queue.store.fanOut(limit: limit, now: now, ceiling: ceiling) { notice, recipients in
            shown.append(String(decoding: notice.spoolName, as: UTF8.self))
            return .deliver(
                recipients.devices.map {
                    NewDelivery(
                        device: $0.device.id, apnsID: "id-\(notice.id)-\($0.device.id)", collapseID: nil,
                        expiration: now.advanced(by: .seconds(3600)))
                })
        }
        return shown
    }

    private func names(_ prefix: String, _ range: Range<Int>) -> [String] { range.map { "\(prefix)\($0)" } }

    @Test("An account takes as many waiting notices as it may, others go on, and what is known is told apart")
    func waiting() throws {
        #expect(try insert(names("a", 0..<7)) == Array(repeating: .new, count: 5) + [.noRoom, .noRoom])
        #expect(try insert(["a4", "a5"]) == [.known, .noRoom])
        #expect(try insert(["b0"], user: "bob") == [.new])
        #expect(try queue.store.counts(now: now).waiting == 6)
        #expect(try fanOut(3) == ["a0", "a1", "b0"])
        #expect(try insert(["a5", "a6", "a7"]) == [.new, .new, .noRoom])
    }

    @Test("In one batch each account has the room that is its own")
    func mixedBatch() throws {
        let notices =
            names("a", 0..<6).map { TemporaryQueue.notice($0, user: "alice") }
            + names("b", 0..<6).map { TemporaryQueue.notice($0, user: "bob") }
        let each = Array(repeating: Insertion.new, count: 5) + [.noRoom]
        #expect(try queue.store.insert(notices, now: now, ceiling: 5) == each + each)
    }

    @Test("There is room worth going on for when half of the ceiling is free, for any of those asked about")
    func room() throws {
        _ = try insert(names("a", 0..<5))
        _ = try insert(names("b", 0..<5), user: "bob")
        let both = ["alice", "bob"]
        #expect(try !queue.store.hasRoom(forAnyOf: both, ceiling: 5))
        _ = try fanOut(5)
        #expect(try !queue.store.hasRoom(forAnyOf: ["bob"], ceiling: 5))
        #expect(try queue.store.hasRoom(forAnyOf: both, ceiling: 5))
        #expect(try !queue.store.hasRoom(forAnyOf: [], ceiling: 5))
    }

    @Test("One account's thousands delay another's notice by less than one fan-out, whatever their names")
    func turns() throws {
        for flood in ["alice", "zed"] {
            _ = try insert(names(flood, 0..<1000), user: flood, ceiling: 1000)
            _ = try insert(["\(flood) m"], user: "mallory")
            #expect(try fanOut(10).contains("\(flood) m"))
            #expect(try fanOut(10).count == 10)
        }
    }

    @Test("With more accounts than places each has its turn, and keeps its order")
    func manyAccounts() throws {
        for number in 10..<35 { _ = try insert(names("\(number)-", 0..<4), user: "user\(number)") }
        var shown: [String] = []
        for _ in 0..<3 { shown += try fanOut(10) }
        #expect(Set(shown.map { $0.prefix(2) }).count == 25)
        for _ in 0..<7 { shown += try fanOut(10) }
        #expect(shown.count == 100)
        #expect(try fanOut(10).isEmpty)
        for number in 10..<35 {
            #expect(shown.filter { $0.hasPrefix("\(number)-") } == names("\(number)-", 0..<4))
        }
    }

    @Test("Accounts whose names are equal to Swift but not to the queue have a ceiling and a turn each")
    func equalNames() throws {
        let (composed, decomposed) = ("ren\u{e9}", "rene\u{301}")
        #expect(composed == decomposed)
        #expect(try insert(names("c", 0..<6), user: composed).count { $0 == .new } == 5)
        #expect(try insert(names("d", 0..<6), user: decomposed).count { $0 == .new } == 5)
        #expect(Set(try fanOut(2).map(\.first)) == ["c", "d"])
    }

    @Test("An account with its ceiling of open deliveries gets no more until some have ended; others do")
    func open() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        _ = try insert(names("a", 0..<9), ceiling: 9)
        #expect(try fanOut(5) == names("a", 0..<5))
        _ = try insert(["b0"], user: "bob")
        #expect(try fanOut(5) == ["b0"])
        #expect(queue.store.accountsHeldUp == 1)
        #expect(try queue.store.counts(now: now).waiting == 4)
        let due = try queue.due()
        _ = try queue.store.settle(
            due.prefix(1).map { Settlement($0, .ended(.sent, reason: "accepted")) }, now: now)
        #expect(try fanOut(2) == ["a5", "a6"])
        #expect(queue.store.accountsHeldUp == 0)
    }

    @Test("However many accounts have their ceiling, another's notice among theirs is found at once")
    func manyHeldUp() throws {
        let held = (10..<35).map { "user\($0)" }
        for user in held {
            _ = try queue.store.register(TemporaryQueue.device(user: user), now: now)
            _ = try insert([user], user: user)
        }
        #expect(try fanOut(30, ceiling: 1).count == 25)
        for user in held { _ = try insert(["\(user) more"], user: user) }
        _ = try insert(["found"], user: "user22a")
        #expect(try fanOut(10, ceiling: 1) == ["found"])
        #expect(queue.store.accountsHeldUp == 25)
        // Who sees enough others doesn't get to them.
        for number in 0..<10 { _ = try insert(["a\(number)"], user: "ant\(number)") }
        #expect(try fanOut(10, ceiling: 1) == names("a", 0..<10))
        #expect(queue.store.accountsHeldUp == 25)
    }

    @Test(
        "Of what has ended an account's newest are kept, and the totals; what is open and what is others' stays"
    )
    func surplus() throws {
        _ = try queue.store.register(TemporaryQueue.device(), now: now)
        _ = try insert(names("a", 0..<20), ceiling: 20)
        _ = try insert(["b0"], user: "bob")
        _ = try fanOut(30, ceiling: 100)
        _ = try queue.store.settle(
            try queue.due().dropFirst().map { Settlement($0, .ended(.sent, reason: "accepted")) }, now: now)
        #expect(try queue.store.pruneSurplus(limit: 4, ceiling: 5) == 4)
        #expect(try queue.store.pruneSurplus(limit: 100, ceiling: 5) == 10)
        #expect(try queue.store.pruneSurplus(limit: 100, ceiling: 5) == 0)
        let left = try queue.connection().query("SELECT spool_name FROM notices ORDER BY id") { $0.text(0) }
        #expect(left == ["a0"] + names("a", 15..<20) + ["b0"])
        #expect(try queue.ends(.sent, "accepted") == 19)
        #expect(try queue.due().count == 1)
    }

    @Test("What one account has is counted and found through indexes, without a look at what others have")
    func plans() throws {
        let connection = queue.store.connection
        let waiting = "SEARCH notices USING COVERING INDEX notices_waiting (user"
        for sql in [QueueStore.waitingSQL, QueueStore.nextUserSQL] {
            let plan = try connection.plan(of: sql).filter { $0.contains("notices") }
            #expect(!plan.isEmpty && plan.allSatisfy { $0.hasPrefix(waiting) }, "\(plan)")
        }
        let open = try connection.plan(of: QueueStore.openSQL)
        #expect(
            open.contains("SEARCH deliveries USING COVERING INDEX deliveries_open (device=? AND ended_at=?)"),
            "\(open)")
        let surplus = try connection.plan(of: QueueStore.surplusSQL)
        let decided = "SEARCH notices USING COVERING INDEX notices_decided_by_user (user=?"
        #expect(
            surplus.filter { $0.contains("SEARCH notices") }.allSatisfy { $0.hasPrefix(decided) },
            "\(surplus)")
        let all = try open + surplus + connection.plan(of: QueueStore.nextUserSQL)
        #expect(all.allSatisfy { !$0.contains("TEMP B-TREE") && !$0.hasPrefix("SCAN notices") }, "\(all)")
    }
}
