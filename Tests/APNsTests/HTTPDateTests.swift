import APNs
import Testing

@Suite("Date of an HTTP header")
struct HTTPDateTests {
    @Test(
        "All three forms of RFC 9110 name the same second",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func forms(text: String) { #expect(HTTPDate.seconds(text) == 784_111_777) }

    @Test(
        "Years and months have the lengths of the calendar",
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799), ("Wed, 21 Oct 2026 07:28:00 GMT", 1_792_567_680),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
            ("Friday, 01-Jan-27 00:00:00 GMT", 1_798_761_600),
        ] as [(String, Int64)])
    func calendar(text: String, expected: Int64) { #expect(HTTPDate.seconds(text) == expected) }

    @Test(
        "What isn't a date is none",
        arguments: [
            "", " ", "now", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Mon, 29 Feb 2100 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Day, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 -8:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sunday, 06-94 08:49:37 GMT", "Sun Nov 06 1994 08:49:37", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT" + String(repeating: " ", count: 9000),
        ])
    func nonsense(text: String) { #expect(HTTPDate.seconds(text) == nil) }
}
