import Posix
import Testing

struct WallTimeTextTests {
    @Test(
        "A point in time prints as RFC 3339 in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_796_013_060_123, "2026-11-30T04:31:00.123Z"),
            (951_782_400_007, "2000-02-29T00:00:00.007Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ])
    func prints(milliseconds: Int64, text: String) {
        #expect(WallTime(milliseconds: milliseconds).text == text)
    }

    @Test("The extremes of the type print without a trap", arguments: [Int64.min, Int64.max])
    func extremes(milliseconds: Int64) {
        #expect(!WallTime(milliseconds: milliseconds).text.isEmpty)
    }
}
