import Spool
import Testing

@Suite("Finding the Message-ID")
struct MessageHeaderReaderTests {
    private static let longest = "<" + String(repeating: "m", count: 248) + ">"

    private static let mails: [(mail: String, messageID: String)] = [
        ("Message-ID: <x@y>\n\nbody", "<x@y>"),
        ("Subject: a\nMessage-ID: <x@y>\nTo: b\n\n", "<x@y>"),
        ("MESSAGE-id:<x@y>\n\n", "<x@y>"),
        ("Message-ID \t: <x@y> \t\n\n", "<x@y>"),
        ("Message-ID: <x@y>\r\n\r\nbody", "<x@y>"),
        ("From a@b  Mon Nov 30 04:31:00 2026\nMessage-ID: <x@y>\n\n", "<x@y>"),
        // Folded: behind the colon, in several steps, and before a comment.
        ("Message-ID:\n <x@y>\n\n", "<x@y>"),
        ("Message-ID:\r\n\t\r\n <x@y>\r\n\r\n", "<x@y>"),
        ("Message-ID: <x@y>\n (added by\n a relay)\n\n", "<x@y>"),
        ("Message-ID: <x@y>(comment)\n\n", "<x@y>(comment)"),
        // The first counts, usable or not.
        ("Message-ID: <x@y>\nMessage-ID: <z@y>\n\n", "<x@y>"),
        ("Message-ID: <a b@c>\nMessage-ID: <z@y>\n\n", ""),
        ("Message-ID:\nMessage-ID: <z@y>\n\n", ""),
        // Not the field: in the body, in another field's text or fold, with another name.
        ("Subject: a\n\nMessage-ID: <x@y>\n", ""),
        ("\nMessage-ID: <x@y>\n", ""),
        ("\r\nMessage-ID: <x@y>\n", ""),
        ("Subject: Message-ID: <x@y>\n Message-ID: <x@y>\n\n", ""),
        ("X-Message-ID: <x@y>\nMessage-IDs: <x@y>\nMessage-I\nMessage-ID\n<x@y>\n\n", ""),
        ("\rMessage-ID: <x@y>\n\n", ""),
        // Outside 0x21 to 0x7E, or white space within.
        ("Message-ID: <ä@c>\n\n", ""), ("Message-ID: <a\u{0}b@c>\n\n", ""),
        ("Message-ID: <a\u{7F}@c>\n\n", ""),
        ("Message-ID: <a\n b@c>\n\n", ""), ("Message-ID: <a\rb@c>\n\n", ""),
        // NUL bytes elsewhere don't matter.
        ("\u{0}\u{0}: \u{0}\nMessage-ID: <x@y>\n\n", "<x@y>"),
        // The bound.
        ("Message-ID: \(longest)\n\n", longest), ("Message-ID: \(longest)>\n\n", ""),
        ("Message-ID: \(String(repeating: "m", count: 1_000_000))\n\n", ""),
        // Input that ends early: a cut identifier isn't one, a whole one is.
        ("", ""), ("Message-ID: <x@y>", "<x@y>"), ("Message-ID: <x@y", ""), ("Message-ID: <x@y\n", "<x@y"),
        ("Message-ID: ", ""), ("Messa", ""),
        ("Message-ID: <x@y> ", "<x@y>"), ("Message-ID: <x@y> (add", "<x@y>"), ("Message-ID: <x@y\r", "<x@y"),
        ("Message-ID: <x@y>\n\r", "<x@y>"),
    ]

    private func messageID(_ pieces: [some Sequence<UInt8>]) -> String {
        var reader = MessageHeaderReader()
        for piece in pieces { reader.receive(piece) }
        return String(decoding: reader.messageID, as: UTF8.self)
    }

    @Test("The first Message-ID is found, unfolded and in any case, or nothing", arguments: mails)
    func whole(mail: String, expected: String) {
        #expect(messageID([Array(mail.utf8)]) == expected)
    }

    @Test("It doesn't matter where the mail is cut into pieces", arguments: mails)
    func everyCut(mail: String, expected: String) {
        let bytes = Array(mail.utf8)
        guard bytes.count < 1000 else { return }
        #expect(messageID(bytes.map { [$0] }) == expected)
        for cut in 0...bytes.count {
            #expect(messageID([bytes[..<cut], bytes[cut...]]) == expected, "cut at \(cut)")
        }
    }

    @Test("The reader wants no more once it has seen the empty line", arguments: ["\n", "\r\n"])
    func finished(lineEnd: String) {
        var reader = MessageHeaderReader()
        reader.receive("Message-ID: <x@y>\(lineEnd)".utf8)
        #expect(!reader.isFinished)
        reader.receive(lineEnd.utf8)
        #expect(reader.isFinished)
        reader.receive("Message-ID: <z@y>\nX-Doorbell: no\n\n".utf8)
        #expect(reader.messageID == Array("<x@y>".utf8))
        #expect(reader.header.marks == [])
    }
}
