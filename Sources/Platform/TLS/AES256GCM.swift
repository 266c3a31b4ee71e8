internal import COpenSSL

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D): hides a message, and tells whether anybody has changed it.
public enum AES256GCM {
    /// Of a key, in bytes.
    public static let keyLength = 32
    /// Of the number that makes each sealing with one key another one, in bytes.
    public static let nonceLength = 12
    /// Of what proves that nothing was changed, in bytes.
    public static let tagLength = 16

    /// Seals a message: gives nonce, ciphertext and tag behind one another.
    ///
    /// - Parameters:
    ///   - message: what nobody without the key may read.
    ///   - key: of `keyLength`.
    ///   - context: isn't hidden, but has to be the same again to open it (additional authenticated data).
    ///   - nonce: of `nonceLength`, never the same twice with one key. Random ones are good for 2^32 messages
    ///     (section 8.3).
    public static func seal(
        _ message: [UInt8], key: [UInt8], context: [UInt8], nonce: [UInt8] = randomNonce()
    ) -> [UInt8] {
        do throws(TLSError) {
            let cipher = try Cipher(key: key, nonce: nonce, context: context, encrypts: true)
            let ciphertext = try cipher.pass(message)
            try cipher.end()
            return try nonce + ciphertext + cipher.tag()
        } catch {
            // Fails only without memory: no message, context, or key and nonce of these lengths is refused.
            preconditionFailure("\(error)")
        }
    }

    /// Opens what was sealed; nil where key or context is another one, or a bit was changed.
    public static func open(_ sealed: [UInt8], key: [UInt8], context: [UInt8]) -> [UInt8]? {
        guard sealed.count >= nonceLength + tagLength else { return nil }
        let nonce = Array(sealed.prefix(nonceLength))
        do throws(TLSError) {
            let cipher = try Cipher(key: key, nonce: nonce, context: context, encrypts: false)
            let message = try cipher.pass(Array(sealed.dropFirst(nonceLength).dropLast(tagLength)))
            try cipher.expect(tag: Array(sealed.suffix(tagLength)))
            try cipher.end()
            return message
        } catch {
            return nil
        }
    }

    /// A nonce of the system's randomness.
    public static func randomNonce() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<nonceLength).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
}

/// One message on its way through OpenSSL's cipher (EVP_EncryptInit(3)).
private final class Cipher {
    private let pointer: OpaquePointer

    init(key: [UInt8], nonce: [UInt8], context: [UInt8], encrypts: Bool) throws(TLSError) {
        precondition(key.count == AES256GCM.keyLength && nonce.count == AES256GCM.nonceLength)
        ERR_clear_error()
        pointer = try required("make a cipher", EVP_CIPHER_CTX_new())
        try check(
            "start a cipher",
            EVP_CipherInit_ex(pointer, EVP_aes_256_gcm(), nil, key, nonce, encrypts ? 1 : 0))
        var count: CInt = 0
        try check("take a context", EVP_CipherUpdate(pointer, nil, &count, context, CInt(context.count)))
    }

    deinit { EVP_CIPHER_CTX_free(pointer) }

    /// The ciphertext of a message, or the other way round; both have one length.
    func pass(_ bytes: [UInt8]) throws(TLSError) -> [UInt8] {
        var count: CInt = 0
        var result = [UInt8](repeating: 0, count: bytes.count)
        try check("cipher", EVP_CipherUpdate(pointer, &result, &count, bytes, CInt(bytes.count)))
        return result
    }

    /// Ends the message; throws where the tag isn't the expected one.
    func end() throws(TLSError) {
        var count: CInt = 0
        var rest = [UInt8](repeating: 0, count: AES256GCM.tagLength)
        try check("end a cipher", EVP_CipherFinal_ex(pointer, &rest, &count))
    }

    func expect(tag: [UInt8]) throws(TLSError) {
        var tag = tag
        try check("expect a tag", control(EVP_CTRL_AEAD_SET_TAG, &tag))
    }

    func tag() throws(TLSError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: AES256GCM.tagLength)
        try check("read a tag", control(EVP_CTRL_AEAD_GET_TAG, &tag))
        return tag
    }

    private func control(_ what: CInt, _ tag: inout [UInt8]) -> CInt {
        EVP_CIPHER_CTX_ctrl(pointer, what, CInt(tag.count), &tag)
    }
}
