import Spool
import Testing

@Suite("The name of an entry")
struct SpoolEntryNameTests {
    private func name(_ at: Int64, _ random: UInt64) -> String {
        String(decoding: SpoolEntryName(at: at, random: random).bytes, as: UTF8.self)
    }

    @Test("A name is the time and 64 random bits")
    func spelling() {
        #expect(name(1_790_000_000_000, 0x9F86_D081_884C_7D65) == "0001790000000000.9f86d081884c7d65")
        #expect(name(0, 1) == "0000000000000000.0000000000000001")
    }

    @Test("Names sort by time over all times of the contract, whatever the random bits")
    func order() {
        let times: [Int64] = [0, 1, 999_999_999_999, 1_790_000_000_000, 1_790_000_000_001, 1 << 52, 1 << 53]
        let names = times.enumerated().map { name($1, .max - UInt64($0)) }
        #expect(names == names.sorted())
        #expect(Set(names).count == times.count)
    }

    @Test("A clock that is out of range gives a name at the range's end")
    func outOfRange() {
        #expect(name(.min, 0) == name(0, 0))
        #expect(name(.max, 0) == name(SpoolEntry.latestTime, 0))
    }

    @Test("Every random bit is in the name")
    func randomBits() {
        let names = Set((0..<64).map { name(0, 1 << UInt64($0)) })
        #expect(names.count == 64)
    }
}
