import TLS
import Testing

@Suite("AES-256-GCM")
struct AES256GCMTests {
    private let key = [UInt8](0..<32)
    private let message = Array("a device token".utf8)
    private let context = Array("alice".utf8)

    private func sealed() -> [UInt8] { AES256GCM.seal(message, key: key, context: context) }

    /// Test case 16 of "The Galois/Counter Mode of Operation" by McGrew and Viega.
    @Test("A known message becomes the known ciphertext and tag")
    func known() {
        let sealed = AES256GCM.seal(
            bytes(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"),
            key: bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
            context: bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
            nonce: bytes("cafebabefacedbaddecaf888"))
        #expect(
            sealed
                == bytes(
                    "cafebabefacedbaddecaf888"
                        + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                        + "76fc6ece0f4e1768cddf8853bb2d551b"))
    }

    @Test("What is sealed is opened again, an empty message too")
    func again() {
        #expect(AES256GCM.open(sealed(), key: key, context: context) == message)
        #expect(AES256GCM.open(AES256GCM.seal([], key: key, context: []), key: key, context: []) == [])
    }

    @Test("The same message is sealed differently each time, with no trace of it")
    func fresh() {
        let all = (0..<1000).map { _ in sealed() }
        #expect(Set(all.map { $0.prefix(12) }).count == 1000)
        #expect(Set(all.map { $0.dropFirst(12) }).count == 1000)
        #expect(sealed().count == 12 + message.count + 16)
    }

    @Test("Another key or context doesn't open it")
    func others() {
        let sealed = sealed()
        #expect(AES256GCM.open(sealed, key: key.reversed(), context: context) == nil)
        #expect(AES256GCM.open(sealed, key: key, context: Array("alicf".utf8)) == nil)
        #expect(AES256GCM.open(sealed, key: key, context: []) == nil)
    }

    @Test("With any one bit changed, in nonce, ciphertext or tag, it isn't opened")
    func changed() {
        let sealed = sealed()
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(AES256GCM.open(changed, key: key, context: context) == nil, "bit \(bit)")
        }
    }

    @Test("Cut short anywhere it isn't opened")
    func short() {
        let sealed = sealed()
        for count in 0..<sealed.count {
            #expect(AES256GCM.open(Array(sealed.prefix(count)), key: key, context: context) == nil)
        }
    }

    private func bytes(_ digits: String) -> [UInt8] {
        let values = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
