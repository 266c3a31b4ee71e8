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

    @Test("Another account, folder or UIDVALIDITY has other mail")
    func others() {
        var taken = TakenUIDs()
        taken.insert(message(1))
        for change in [\TakenUIDs.Message.account, \.folder] {
            var other = message(1)
            other[keyPath: change] = "another"
            #expect(!taken.contains(other))
        }
        var other = message(1)
        other.uidValidity = nil
        #expect(!taken.contains(other))
    }
}
