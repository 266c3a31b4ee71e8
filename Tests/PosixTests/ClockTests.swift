import Posix
import Testing

struct ClockTests {
    @Test(
        "Seconds are rounded down on both sides of the epoch",
        arguments: [(1999, 1), (0, 0), (-1, -1), (-1000, -1), (-1001, -2)])
    func seconds(milliseconds: Int64, seconds: Int64) {
        #expect(WallTime(milliseconds: milliseconds).seconds == seconds)
    }

    @Test("Moving a time beyond the type's range stops at its end")
    func saturating() {
        let end = WallTime(milliseconds: .max)
        #expect(end.advanced(by: .seconds(1)) == end)
        #expect(WallTime(milliseconds: .min).advanced(by: .seconds(-1)) == WallTime(milliseconds: .min))
        #expect(WallTime(milliseconds: 0).advanced(by: .seconds(Int64.max)) == end)
        #expect(WallTime(milliseconds: 5).advanced(by: .milliseconds(-7)).milliseconds == -2)
    }

    @Test("The boot clock only goes forward")
    func bootClock() {
        let first = BootClock.now
        #expect(BootClock.now >= first)
    }
}
