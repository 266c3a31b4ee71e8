import Testing

@testable import Spool

@Suite("Room for an entry")
struct SpoolRoomTests {
    /// A file system by its units, and how many are free when it is just not short.
    private static let reserves: [(total: UInt, reserve: UInt)] = [
        (1_000_000_000, 2560), (256_000, 2560), (200_000, 2000), (100, 1),
    ]

    @Test("A hundredth or ten mebibytes must be left, whichever is less", arguments: reserves)
    func reserve(total: UInt, reserve: UInt) {
        #expect(!SpoolRoom.isShort(free: reserve, of: total, reserve: 2560))
        #expect(SpoolRoom.isShort(free: reserve - 1, of: total, reserve: 2560))
    }

    @Test("A file system that doesn't tell its size is never short of it", arguments: [0, 99] as [UInt])
    func unknown(total: UInt) {
        #expect(!SpoolRoom.isShort(free: 0, of: total, reserve: 2560))
    }
}
