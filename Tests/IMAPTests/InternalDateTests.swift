import Testing

@testable import IMAP

@Suite("A message's date")
struct InternalDateTests {
    @Test(
        "It is read with its zone",
        arguments: [
            ("01-Jan-1970 00:00:00 +0000", 0), ("17-Jul-1996 02:44:25 -0700", 837_596_665),
            ("30-Nov-2026 10:54:58 +0000", 1_796_036_098), (" 1-Mar-2000 00:00:00 +0130", 951_863_400),
            ("29-Feb-2000 23:59:60 +0000", 951_868_800), ("31-dec-2099 23:59:59 +1400", 4_102_394_399),
            ("01-Jan-1900 00:00:00 +0000", -2_208_988_800),
        ])
    func dates(text: String, seconds: Int64) {
        #expect(InternalDate.seconds(Array(text.utf8)) == seconds)
    }

    @Test(
        "What isn't one is none",
        arguments: [
            "", "17-Jul-1996 02:44:25", "17-Jux-1996 02:44:25 -0700", "00-Jul-1996 02:44:25 -0700",
            "32-Jul-1996 02:44:25 -0700", "17-Jul-1996 24:44:25 -0700", "17-Jul-1996 02:60:25 -0700",
            "17-Jul-1996 02:44:61 -0700", "17-Jul-1996 02:44:25 -07a0", "17-Jul-1996 02:44:25 07000",
            "17 Jul 1996 02:44:25 -0700", "1 -Jul-1996 02:44:25 -0700", "17-Jul-1996 02:44:25 -0760",
        ])
    func others(text: String) {
        #expect(InternalDate.seconds(Array(text.utf8)) == nil)
    }

    @Test("A year from any first of January on has as many days as the calendar says")
    func years() throws {
        var last = try #require(InternalDate.seconds(Array("01-Jan-0000 00:00:00 +0000".utf8)))
        for year in 1...9999 {
            let digits = String(repeating: "0", count: 4 - "\(year)".count) + "\(year)"
            let next = try #require(InternalDate.seconds(Array("01-Jan-\(digits) 00:00:00 +0000".utf8)))
            let before = year - 1
            let isLeap = before % 4 == 0 && (before % 100 != 0 || before % 400 == 0)
            #expect(next - last == (isLeap ? 366 : 365) * 86_400)
            last = next
        }
    }
}
