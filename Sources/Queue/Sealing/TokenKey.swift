internal import APNs
internal import Queue
internal import TLS

/// The key that device tokens are sealed with: never used itself, others are derived from it.
struct TokenKey {
    /// 32 of them.
    private let bytes: [UInt8]

    /// A key of the system's randomness.
    static func random() -> TokenKey {
        var random = SystemRandomNumberGenerator()
        return TokenKey(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a line of 64 hexadecimal digits; nil for anything else.
    init?(line: [UInt8]) {
        let text = line.last == 0x0A ? line.dropLast() : line[...]
        let digits = text.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard text.count == 64, digits.count == 64 else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// What `init(line:)` reads.
    var line: [UInt8] { Array(hexadecimalText(bytes).utf8) + [0x0A] }

    /// What can be done with it: AES-256-GCM hides, HMAC-SHA256 is looked up by, each with a key of its own.
    var seal: TokenSeal {
        let sealing = derived("doorbell device token: seal")
        let lookingUp = derived("doorbell device token: look up")
        return TokenSeal(
            check: derived("doorbell device token: check"),
            hash: { Hash.hmacSHA256(key: lookingUp, $0) },
            seal: { AES256GCM.seal($0, key: sealing, context: $1) },
            open: { AES256GCM.open($0, key: sealing, context: $1) })
    }

    /// The first block of HKDF-Expand (RFC 5869 section 2.3), for a key that is random already.
    private func derived(_ purpose: String) -> [UInt8] {
        Hash.hmacSHA256(key: bytes, Array(purpose.utf8) + [1])
    }
}
