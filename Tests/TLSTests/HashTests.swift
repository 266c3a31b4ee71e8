import Testing

@testable import TLS

@Suite("Digests")
struct HashTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { (($0 < 16 ? "0" : "") + String($0, radix: 16)) }.joined()
    }

    @Test("SHA-1 of abc is that of FIPS 180")
    func sha1() { #expect(hex(Hash.sha1(Array("abc".utf8))) == "a9993e364706816aba3e25717850c26c9cd0d89d") }

    @Test("SHA-256 of nothing and of abc are those of FIPS 180")
    func sha256() {
        #expect(
            hex(Hash.sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            hex(Hash.sha256(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("HMAC-SHA256 is that of RFC 4231, test case 2")
    func hmac() {
        #expect(
            hex(Hash.hmacSHA256(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
