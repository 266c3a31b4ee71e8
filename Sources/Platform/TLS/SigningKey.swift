internal import COpenSSL

/// A private key for ES256: ECDSA on P-256 with SHA-256 (RFC 7518 section 3.4), the key of a provider token.
public struct SigningKey {
    private let key: Key

    /// Reads the key from PEM text, as in the `.p8` file that Apple issues.
    ///
    /// Throws `TLSError.badKey` when it is no private key, is protected by a password, or isn't on P-256.
    public init(pem: [UInt8]) throws(TLSError) {
        let pointer: OpaquePointer
        do throws(TLSError) {
            pointer = try privateKey(pem: pem)
        } catch {
            throw .badKey(reason: "not a private key in PEM form without a password (\(error))")
        }
        key = try Key(p256: pointer)
    }

    private init(_ key: Key) { self.key = key }

    /// Makes a new key from the system's randomness.
    public static func generate() throws(TLSError) -> SigningKey {
        SigningKey(try Key.generated())
    }

    /// The key as PEM text (PKCS #8, unencrypted): a secret.
    public var pem: [UInt8] { get throws(TLSError) { try key.privatePEM() } }

    /// The other half, for whoever verifies.
    public var publicKey: VerifyingKey {
        get throws(TLSError) { try VerifyingKey(pem: try key.publicPEM()) }
    }

    /// Signs a message: r and s side by side, 32 bytes each, as JSON Web Signature wants it.
    public func sign(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
        ERR_clear_error()
        let context = try required("sign", EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        try check("sign", EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer))
        var count = 0
        try check("sign", EVP_DigestSign(context, nil, &count, message, message.count))
        var der = [UInt8](repeating: 0, count: count)
        try check("sign", EVP_DigestSign(context, &der, &count, message, message.count))
        return try ES256Signature.raw(der: Array(der.prefix(count)))
    }
}
