import IMAP
import Testing

@Suite("A message's Message-ID")
struct FetchedMessageTests {
    @Test(
        "It is read from the header as the hook reads it from the mail",
        arguments: [
            ("Message-ID: <m@x>\r\n\r\n", "<m@x>"), ("Message-ID:\r\n <m@x> (a comment)\r\n\r\n", "<m@x>"),
            ("MESSAGE-ID: <m@x>\r\nMessage-ID: <second@x>\r\n\r\n", "<m@x>"),
            ("Message-ID: <a b>\r\n\r\n", ""),
            ("\r\n", ""), ("", ""), ("Message-ID: <cut@", ""), ("Message-ID: <m@x>", "<m@x>"),
            ("Message-ID: <" + String(repeating: "a", count: 1010), ""),
        ])
    func reading(header: String, id: String) {
        #expect(String(decoding: FetchedMessage(header: Array(header.utf8)).messageID, as: UTF8.self) == id)
        #expect(FetchedMessage().messageID.isEmpty)
    }
}
