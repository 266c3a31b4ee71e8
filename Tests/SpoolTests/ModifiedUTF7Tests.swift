import Spool
import Testing

@Suite("Modified UTF-7")
struct ModifiedUTF7Tests {
    private func decode(_ name: String) -> String? {
        ModifiedUTF7.decode(Array(name.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "Names decode to UTF-8",
        arguments: [
            ("INBOX", "INBOX"), ("", ""), ("&-", "&"), ("a&-b&-", "a&b&"), ("&AOQ-", "ä"),
            // The example of RFC 3501 section 5.1.3.
            ("~peter/mail/&U,BTFw-/&ZeVnLIqe-", "~peter/mail/台北/日本語"),
            ("&2D3dFA-", "\u{1F514}"), ("&AOQA9gD8-", "äöü"),
        ])
    func names(name: String, expected: String) {
        #expect(decode(name) == expected)
    }

    @Test(
        "What isn't modified UTF-7 is refused",
        arguments: [
            "&", "a&b", "&AOQ", "&AO Q-", "&AO/Q-", "ä", "a\tb", "&A-", "&AO-", "&AOR-", "&AOQA-", "&2D0-",
            "&3RQ-", "&2D0AQQ-",
        ])
    func refused(name: String) {
        #expect(decode(name) == nil)
    }
}
