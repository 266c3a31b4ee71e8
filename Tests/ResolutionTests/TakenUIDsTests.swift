import Testing

@testable import Resolution

@Suite("UIDs that were named for a notice")
struct TakenUIDsTests {
    private func message(_ uid: Int) -> TakenUIDs.Message {
        TakenUIDs.Message(account: "alice", folder: "INBOX", uidValidity: 17, uid: UInt32(uid))
    }

    @Test("The newest 4,096 are remembered, and none twice")
    func bounded() {
        var taken = TakenUIDs()
        for uid in 1...10_000 {
            taken.insert(message(uid))
            taken.insert(message(uid))
        }
        #expect((1...5904).allSatisfy { !taken.contains(message($0)) })
        #expect((5905...10_000).allSatisfy { taken.contains(message($0)) })
    }

    @Test("Another account, folder or UIDVALIDITY has other mail, though its name looks alike")
    func others() {
        func message(
            _ account: String = "Zo\u{EB}", _ folder: String = "Caf\u{E9}", _ uidValidity: UInt32? = 17
        ) -> TakenUIDs.Message {
            TakenUIDs.Message(account: account, folder: folder, uidValidity: uidValidity, uid: 1)
        }
        var taken = TakenUIDs()
        taken.insert(message())
        #expect(taken.contains(message()))
        for other in [
            message("alice"), message("Zoe\u{308}"), message("Zo\u{EB}", "INBOX"),
            message("Zo\u{EB}", "Cafe\u{301}"), message("Zo\u{EB}", "Caf\u{E9}", nil),
        ] { #expect(!taken.contains(other)) }
    }
}
