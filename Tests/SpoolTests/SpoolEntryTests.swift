import JSON
import Spool
import Testing

@Suite("A spool entry on disk")
struct SpoolEntryTests {
    private let plain = SpoolEntry(
        user: Array("alice".utf8), folder: Array("INBOX".utf8), messageID: Array("<x@y>".utf8),
        at: 1_790_000_000_000)

    private func text(_ entry: SpoolEntry) -> String { String(decoding: entry.encode(), as: UTF8.self) }

    @Test("An entry is one flat object in the contract's order, and a newline")
    func plainEntry() {
        #expect(
            text(plain)
                == #"{"v":1,"user":"alice","folder":"INBOX","uid":0,"msg_id":"<x@y>","at":1790000000000}"#
                + "\n")
    }

    @Test("What is known besides follows in a fixed order")
    func fullEntry() {
        var entry = plain
        entry.uid = 7
        entry.uidHint = 8
        entry.uidValidity = 9
        entry.filed = Array("1.M2.host".utf8)
        entry.marks = [.spam, .bounce, .report, .asked, .list, .bulk]
        entry.recipient = Array("root@example.org".utf8)
        #expect(
            text(entry).hasSuffix(
                #""at":1790000000000,"uid_hint":8,"uid_validity":9,"filed":"1.M2.host","#
                    + #""marks":"spam,bounce,report,asked,list,bulk","recipient":"root@example.org"}"# + "\n")
        )
    }

    @Test("An entry reads back as it was written")
    func roundTrip() throws {
        var entry = plain
        entry.user = Array(#"a"b\c@example.com"#.utf8)
        entry.folder = Array("Entwürfe.日本 \u{1F514}".utf8)
        entry.uid = .max
        entry.uidHint = .max
        entry.uidValidity = 1
        entry.filed = Array("1790000000.M1P2.host:2,".utf8)
        entry.at = SpoolEntry.latestTime
        entry.marks = [.bounce, .list]
        entry.recipient = Array("root@example.org".utf8)
        #expect(try SpoolEntry.decode(entry.encode()) == entry)
    }

    @Test("An entry whose every part is as long as it may be still fits")
    func longestEntry() throws {
        let quotes = { (count: Int) in [UInt8](repeating: UInt8(ascii: "\""), count: count) }
        let entry = SpoolEntry(
            user: quotes(SpoolEntry.maximumUserLength), folder: quotes(SpoolEntry.maximumFolderLength),
            uid: .max, messageID: quotes(SpoolEntry.maximumMessageIDLength), at: SpoolEntry.latestTime,
            uidHint: .max, uidValidity: .max, filed: quotes(SpoolEntry.maximumFiledLength),
            marks: [.spam, .bounce, .report, .asked, .list, .bulk],
            recipient: Array(repeating: UInt8(ascii: "a"), count: SpoolEntry.maximumRecipientLength))
        #expect(entry.encode().count <= SpoolEntry.maximumSize)
        #expect(try SpoolEntry.decode(entry.encode()) == entry)
    }
}
