internal import COpenSSL

/// A public key for ES256.
public struct VerifyingKey {
    private let key: Key

    /// Reads the key from PEM text (`BEGIN PUBLIC KEY`).
    public init(pem: [UInt8]) throws(TLSError) {
        ERR_clear_error()
        let bio = try MemoryBIO(pem)
        guard let pointer = PEM_read_bio_PUBKEY(bio.pointer, nil, nil, nil) else {
            throw .badKey(reason: "not a public key in PEM form (\(TLSError.taken("read it")))")
        }
        key = try Key(p256: pointer)
    }

    /// The key as PEM text.
    public var pem: [UInt8] { get throws(TLSError) { try key.publicPEM() } }

    /// Whether `signature` (r and s side by side, 64 bytes) was made over `message` by this key's other half.
    ///
    /// Anything else, a DER signature too, is simply not valid.
    public func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let der = ES256Signature.der(raw: signature), let context = EVP_MD_CTX_new() else {
            return false
        }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else { return false }
        return EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }
}
