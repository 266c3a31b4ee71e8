internal import COpenSSL

/// Owns one of OpenSSL's keys on P-256.
final class Key {
    let pointer: OpaquePointer

    /// Takes over `pointer`; it is freed even when the key isn't on P-256, which throws.
    init(p256 pointer: OpaquePointer) throws(TLSError) {
        self.pointer = pointer
        var name = [CChar](repeating: 0, count: 32)
        var count = 0
        guard EVP_PKEY_get_base_id(pointer) == EVP_PKEY_EC,
            EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1,
            name.prefix(count).elementsEqual(SN_X9_62_prime256v1.utf8.map { CChar(bitPattern: $0) })
        else {
            ERR_clear_error()
            throw .badKey(reason: "not a key on the curve P-256, which ES256 needs")
        }
    }

    /// Makes a new key from the system's randomness.
    static func generated() throws(TLSError) -> Key {
        ERR_clear_error()
        return try Key(p256: try required("make a key", copenssl_generate_p256()))
    }

    deinit { EVP_PKEY_free(pointer) }

    func privatePEM() throws(TLSError) -> [UInt8] {
        ERR_clear_error()
        let bio = try MemoryBIO()
        try check("write a key", PEM_write_bio_PKCS8PrivateKey(bio.pointer, pointer, nil, nil, 0, nil, nil))
        return bio.takeContents()
    }

    func publicPEM() throws(TLSError) -> [UInt8] {
        ERR_clear_error()
        let bio = try MemoryBIO()
        try check("write a public key", PEM_write_bio_PUBKEY(bio.pointer, pointer))
        return bio.takeContents()
    }
}
