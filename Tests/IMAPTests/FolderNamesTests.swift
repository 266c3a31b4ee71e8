import IMAP
import Spool
import TestSupport
import Testing

@Suite("Folder names")
struct FolderNamesTests {
    @Test(
        "A name goes over the wire in modified UTF-7",
        arguments: [
            ("INBOX", "INBOX"), ("a & b", "a &- b"), ("Entwürfe", "Entw&APw-rfe"), ("&", "&-"),
            ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"), ("☺!", "&Jjo-!"), ("📬", "&2D3c7A-"),
            ("a\"b\\c", "a\"b\\c"), ("\r\n", "&AA0ACg-"), ("üü&", "&APwA,A-&-"), ("", ""),
        ])
    func encoding(name: String, encoded: String) {
        #expect(String(decoding: ModifiedUTF7.encode(name), as: UTF8.self) == encoded)
    }

    @Test("Whatever is encoded is printable ASCII and decodes to the same bytes")
    func roundTrip() throws {
        var random = SplitMix(state: 5)
        for _ in 0..<5000 {
            let scalars = (0..<random.below(30)).compactMap { _ in
                Unicode.Scalar(UInt32(random.below([0x80, 0x180, 0x10000, 0x110000][random.below(4)])))
            }
            let name = String(String.UnicodeScalarView(scalars))
            let encoded = ModifiedUTF7.encode(name)
            #expect(encoded.allSatisfy { (0x20...0x7E).contains($0) })
            #expect(ModifiedUTF7.decode(encoded) == Array(name.utf8))
        }
    }

    private static func namespace(_ prefix: String, _ separator: Character) -> Namespace {
        Namespace(prefix: Array(prefix.utf8), separator: separator.asciiValue)
    }

    @Test("A folder is looked for as it is named, then under the server's prefix and with its separator")
    func candidates() {
        let slash = Self.namespace("", "/")
        let courier = Self.namespace("INBOX.", ".")
        #expect(FolderNames.candidates(for: "inbox", in: [courier]) == ["INBOX"])
        #expect(FolderNames.candidates(for: "Archive", in: []) == ["Archive"])
        #expect(FolderNames.candidates(for: "Archive.2026", in: [slash]) == ["Archive.2026", "Archive/2026"])
        #expect(FolderNames.candidates(for: "Archive", in: [courier]) == ["Archive", "INBOX.Archive"])
        #expect(FolderNames.candidates(for: "INBOX.Archive", in: [courier]) == ["INBOX.Archive"])
        #expect(
            FolderNames.candidates(for: "a/b", in: [courier]) == ["a/b", "INBOX.a/b", "INBOX.a.b"])
        #expect(
            FolderNames.candidates(for: "Entwürfe", in: [Self.namespace("Pers&APY-nlich/", "/")])
                == ["Entwürfe", "Persönlich/Entwürfe"])
        for prefix in ["\u{FF}", "&AAo-", String(repeating: "p", count: 1000)] {
            #expect(FolderNames.candidates(for: "x", in: [Self.namespace(prefix, "/")]) == ["x"])
        }
    }

    @Test("However many namespaces a server names, few names are tried, each once")
    func bounded() {
        let many = (0..<100).map { Self.namespace("n\($0)/", "/") }
        let names = FolderNames.candidates(for: "a.b", in: many)
        #expect(names.count == 8 && Set(names).count == 8 && names[0] == "a.b")
    }
}
