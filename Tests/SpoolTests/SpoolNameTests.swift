import SpoolDirectories
import Testing

@Suite("A name in the spool as it is shown")
struct SpoolNameTests {
    @Test(
        "What is usual in names stays, all else is percent-encoded",
        arguments: [
            ("0001790000000000.9f86d081884c7d65", "0001790000000000.9f86d081884c7d65"), ("a-B_9", "a-B_9"),
            ("--all", "%2D-all"), ("a b", "a%20b"), ("a\nb\u{1B}[2J", "a%0Ab%1B%5B2J"), ("50%", "50%25"),
            ("$(reboot);'\"", "%24%28reboot%29%3B%27%22"), ("ä", "%C3%A4"),
        ])
    func text(name: String, text: String) {
        #expect(SpoolName(bytes: Array(name.utf8)).text == text)
    }

    @Test("A name that is no text has one all the same")
    func bytes() {
        #expect(SpoolName(bytes: [0xFF, 0x00]).text == "%FF%00")
    }
}
