import Posix
import SpoolDirectories
import Testing

@testable import DoorbellCommand

@Suite("The list of what is set aside")
struct CorruptTableTests {
    private func entry(_ name: [UInt8], _ since: Int64) -> CorruptEntry {
        CorruptEntry(
            name: SpoolName(bytes: name), owner: 1000, size: 12, since: WallTime(milliseconds: since))
    }

    @Test("The one set aside last stands at the end, and a reason that nobody wrote down is unknown")
    func table() {
        let table = CorruptTable(
            [entry([0x62], 1_796_013_061_000), entry([0xFF], 1_796_013_060_000)],
            reasons: ["%FF": "bad_json", "a": "linked"])
        #expect(
            table.text == """
                NAME  OWNER  REASON    SET ASIDE                 SIZE
                %FF   1000   bad_json  2026-11-30T04:31:00.000Z  12
                b     1000   unknown   2026-11-30T04:31:01.000Z  12

                """)
    }

    @Test("A reason that somebody has tampered with can't write to the terminal")
    func control() {
        let table = CorruptTable([entry([0x61], 0)], reasons: ["a": "\u{1B}[2J"])
        #expect(table.text.contains(" ?[2J "))
    }
}
