import HTTP2
import Posix
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("In a mailbox made anew no mail's wake takes the place of an old one's")
struct MailboxMadeAnewTests {
    private let server: ScriptedIMAP
    private let bench: LoopBench

    init() throws {
        server = try ScriptedIMAP()
        bench = try LoopBench(mailServer: server)
        try bench.register(1)
    }

    /// Has mails come of which `insert` says what is known, each as the first of another mailbox; gives the collapse ids.
    private func collapseIDs(places: (UInt32) -> String, insert: () throws -> Void) throws -> Set<String> {
        var collapseIDs: Set<String> = []
        for uidValidity: UInt32 in [1_700_000_001, 1_800_000_002, 1_900_000_003] {
            server.goDown()
            try server.comeBack()
            server.mail["user1"] = ["INBOX": ScriptedIMAP.Folder(uidValidity: uidValidity)]
            try insert()
            let before = bench.apple.requests.count
            try bench.run(until: "a request") { bench.apple.requests.count > before }
            #expect(bench.apple.requests.last?.place == places(uidValidity))
            collapseIDs.insert(bench.apple.requests[before].headers["apns-collapse-id"] ?? "")
        }
        return collapseIDs
    }

    @Test("Where the server tells the uid")
    func found() throws {
        let ids = try collapseIDs(places: { "INBOX 1 of \($0)" }) {
            server.file(try bench.insertUnknown(), for: "user1", at: bench.wall)
        }
        #expect(ids.count == 3 && ids.contains("INBOX:1"))
    }

    @Test(
        "Where the entry tells the uid alone: the server is asked for the UIDVALIDITY, and for nothing else")
    func entry() throws {
        let ids = try collapseIDs(places: { "INBOX 5 of \($0)" }) { try bench.insert(for: 1, first: 5) }
        #expect(ids.count == 3 && ids.contains("INBOX:5"))
        #expect(!server.commands.contains { $0.contains("UID ") })
        try bench.insert(for: 1, first: 6)
        let before = bench.apple.requests.count
        try bench.run(until: "a request") { bench.apple.requests.count > before }
        #expect(bench.apple.requests.last?.place == "INBOX 6 of 1900000003")
        #expect(server.commands.last == "user1 NOOP")
    }

    @Test(
        "Where the entry tells the uid alone and the server doesn't answer: the uid goes, and no id is made of it"
    )
    func unanswered() throws {
        server.goDown()
        for first in [5, 5] { try bench.insert(for: 1, first: first) }
        try bench.run(until: "two requests") { bench.apple.requests.count == 2 }
        #expect(bench.apple.requests.map(\.place) == ["INBOX 5", "INBOX 5"])
        let ids = Set(bench.apple.requests.map { $0.headers["apns-collapse-id"] ?? "" })
        #expect(ids.count == 2 && ids.allSatisfy { $0.count == 32 })
    }

    @Test("A folder that the server hasn't leaves the entry's uid as it is, at once")
    func noFolder() throws {
        let start = bench.time.boot
        try bench.insert(for: 1, first: 5, folder: "Nowhere")
        try bench.run(until: "a request") { bench.apple.requests.count == 1 }
        #expect(bench.apple.requests.map(\.place) == ["Nowhere 5"])
        #expect(bench.time.boot - start < .milliseconds(100))
    }
}
