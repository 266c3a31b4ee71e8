import Spool
import Testing

@Suite("What a header tells besides the Message-ID")
struct MailHeaderTests {
    private static let marked: [(header: String, marks: MailMarks)] = [
        ("Subject: hello\nTo: alice@example.org\nFrom: bob@example.org\n", []),
        // The envelope's sender.
        ("Return-Path: <>\n", .bounce), ("return-path:<>\r\n", .bounce), ("Return-Path :\n\t<>\n", .bounce),
        ("Return-path: < >\n", []), ("Return-Path:\n", []), ("Return-Path: <bob@example.org>\n", []),
        ("Return-Path: <MAILER-DAEMON>\n", .bounce), ("Return-Path: Mailer-Daemon@example.org\n", .bounce),
        ("Return-Path: <mailer-daemons@example.org>\n", []), ("Return-Path: <bob> <>\n", []),
        ("From MAILER-DAEMON Mon Nov 30 04:31:00 2026\nSubject: a\n", .bounce),
        ("From MAILER-DAEMON@mail.example.org  Mon Nov 30 04:31:00 2026\r\n", .bounce),
        ("From <> Mon Nov 30 04:31:00 2026\n", .bounce),
        ("From bob@example.org Mon Nov 30 04:31:00 2026\n", []),
        // Only in the first line, and never as a field.
        ("Subject: a\nFrom MAILER-DAEMON Mon Nov 30 04:31:00 2026\n", []),
        ("From: MAILER-DAEMON\n", []), ("From : MAILER-DAEMON\n", []), (">From MAILER-DAEMON Mon\n", []),
        ("FromMAILER-DAEMON\n", []),
        // Reports about mail.
        ("Content-Type: multipart/report; report-type=delivery-status;\n boundary=x\n", .bounce),
        (
            "Content-Type: Multipart/Report;report-type=tlsrpt\nTLS-Report-Domain: example.org\n",
            [.bounce, .report]
        ),
        ("Content-Type: multipart/mixed; boundary=\"multipart/report\"\n", []),
        ("Content-Type: multipart/reports\n", []),
        ("Subject: Report Domain: example.org Submitter: example.com Report-ID: <1>\n", .report),
        ("Subject:\n  report\n  domain: example.org\n", .report),
        // As Microsoft writes it.
        ("Subject: [Preview] Report Domain: example.org Submitter: enterprise.example.com\n", .report),
        ("Subject: =?utf-8?B?UmVwb3J0IERvbWFpbjogZXhhbXBsZS5vcmc=?=\n", .report),
        ("Subject: =?utf-8?B?W1ByZXZpZXddIFJlcG9ydCBEb21haW46IGEuYg==?=\n", .report),
        ("Subject: =?utf-8?B?UmU6IFJlcG9ydCBEb21haW46IGEuYg==?=\n", []),
        ("Subject: [Preview] Report\n", []),
        ("Subject: Re: Report Domain: example.org\n", []),
        ("X-Subject: Report Domain: example.org\n", []), ("Subject: Report Domain\n", []),
        // What filters and recipes add.
        ("X-Spam-Flag: YES\n", .spam), ("X-Spam: yes\n", .spam), ("X-Spam: Yes (score 15)\n", .spam),
        ("X-Spam-Flag: NO\nX-Spam: Yes\n", .spam), ("X-Spam-Flag: NO\n", []), ("X-Spam: yesterday\n", []),
        ("X-Spam-Status: Yes, score=9\n", []),
        ("X-Doorbell: no\n", .asked), ("x-doorbell:NO\n", .asked), ("X-Doorbell: not\n", []),
        ("X-Doorbell: yes\n", []), ("X-Doorbells: no\n", []), ("X-Doorbell\n no\n", []),
        // Lists and machines.
        ("List-Id: Swift <swift.example.org>\n", .list), ("List-ID:\n <swift.example.org>\n", .list),
        ("List-Id:\n", []), ("List-Id: \n\t\n", []), ("List-Post: <mailto:a@b>\n", []),
        ("Precedence: bulk\n", .bulk), ("Precedence: List\n", .bulk), ("Precedence: junk\n", .bulk),
        ("Precedence: first-class\n", []), ("Precedence: bulky\n", []),
        ("Auto-Submitted: auto-replied; x=y\n", .bulk), ("Auto-Submitted: auto-generated\n", .bulk),
        ("Auto-Submitted: No\n", []), ("Auto-Submitted: no; x=y\n", []), ("Auto-Submitted: no(body)\n", []),
        ("Auto-Submitted:\n", []),
        (
            "Return-Path: <>\nPrecedence: bulk\nList-Id: <a.b>\nX-Doorbell: no\n",
            [.bounce, .bulk, .list, .asked]
        ),
        // The body says nothing, nor does a fold of another field.
        ("Subject: a\n\nX-Doorbell: no\n", []), ("Subject: a\n X-Doorbell: no\n", []),
    ]

    private static func header(_ pieces: [some Sequence<UInt8>]) -> MailHeader {
        var reader = MessageHeaderReader()
        for piece in pieces { reader.receive(piece) }
        return reader.header
    }

    @Test("Fields that tell what a mail is give marks, and only where their values do", arguments: marked)
    func marks(header: String, marks: MailMarks) {
        #expect(Self.header([Array((header + "\nbody\n").utf8)]).marks == marks)
        #expect(Self.header([Array(header.utf8)]).marks == marks, "the mail ends behind its last field")
    }

    private static let sent: [(header: String, recipient: String)] = [
        ("Subject: a\n", ""),
        ("Delivered-To: root@example.org\n", "root@example.org"), ("delivered-to: <root>\n", "root"),
        // The topmost counts, which Postfix gives the address that aliases led from.
        ("X-Original-To: root@example.org\nDelivered-To: alice@example.org\n", "root@example.org"),
        ("Delivered-To: alice@example.org\nDelivered-To: root@example.org\n", "alice@example.org"),
        ("Envelope-to: root@example.org, alice@example.org\n", "root@example.org"),
        // The envelope counts before what its sender wrote.
        ("To: all@example.org\nDelivered-To: alice@example.org\n", "alice@example.org"),
        ("To: =?utf-8?q?=C3=84?= <all@example.org>, bob@example.org\n", "all@example.org"),
        ("To: all@example.org (everybody)\nTo: bob@example.org\n", "all@example.org"),
        ("To: undisclosed-recipients:;\n", "undisclosed-recipients:"),
        ("Cc: bob@example.org\n", ""), ("To:\n", ""), ("To: <>\n", ""),
        // One that isn't of visible ASCII, needs an escape or is too long is none.
        ("To: ärger@example.org\n", ""), ("To: a\\b@example.org\n", ""), ("To: \"a\\\"b\"@example.org\n", ""),
        ("To: \(String(repeating: "a", count: 254))\n", String(repeating: "a", count: 254)),
        ("To: \(String(repeating: "a", count: 255))\n", ""),
        ("To: \(String(repeating: "a ", count: 125)) <all@example.org>\n", ""),
    ]

    @Test("The recipient is the envelope's, else the first of To", arguments: sent)
    func recipient(header: String, recipient: String) {
        #expect(Self.header([Array((header + "\n").utf8)]).recipient == Array(recipient.utf8))
    }

    @Test("It doesn't matter where the mail is cut into pieces")
    func everyCut() {
        for header in Self.marked.map(\.header) + Self.sent.map(\.header) {
            let mail = Array((header + "Message-ID: <x@y>\n\n").utf8)
            let whole = Self.header([mail])
            #expect(Self.header(mail.map { [$0] }) == whole)
            for cut in 0...mail.count { #expect(Self.header([mail[..<cut], mail[cut...]]) == whole) }
        }
    }

    @Test("A line that the mail's end has cut tells nothing")
    func cutShort() {
        #expect(Self.header(["X-Doorbell: no".utf8]).marks == [])
        #expect(Self.header(["X-Doorbell: no\r".utf8]).marks == [])
        #expect(Self.header(["To: all@example.org".utf8]).recipient == [])
        #expect(Self.header(["X-Doorbell: no\n".utf8]).marks == .asked)
    }

    @Test("A value is kept up to a bound, whatever comes behind")
    func bound() {
        let long = "Subject: Report Domain: " + String(repeating: "x", count: 1_000_000)
        #expect(Self.header([Array("\(long)\n\(long)\n\n".utf8)]).marks == .report)
        let blanks =
            "X-Doorbell:" + String(repeating: " \t", count: 500_000) + "no" + String(repeating: " ", count: 9)
        #expect(Self.header([Array("\(blanks)\n\n".utf8)]).marks == .asked)
    }
}
