internal import COpenSSL

/// The two forms of an ECDSA signature on P-256: OpenSSL's DER (up to 72 bytes) and the fixed 64 bytes of
/// JSON Web Signature, r and s padded on the left to 32 bytes each (RFC 7518 section 3.4).
enum ES256Signature {
    private static let halfBytes: CInt = 32

    /// Gives the 64-byte form.
    static func raw(der: [UInt8]) throws(TLSError) -> [UInt8] {
        ERR_clear_error()
        var start: UnsafePointer<UInt8>?
        let decoded = der.withUnsafeBufferPointer { bytes in
            start = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        let signature = try required("read a signature", decoded)
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: Int(halfBytes * 2))
        try raw.withUnsafeMutableBufferPointer { bytes throws(TLSError) in
            let half = bytes.baseAddress.map { $0 + Int(halfBytes) }
            // Gives -1 when a number doesn't fit: not a signature on P-256.
            try check("read r", BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes.baseAddress, halfBytes))
            try check("read s", BN_bn2binpad(ECDSA_SIG_get0_s(signature), half, halfBytes))
        }
        return raw
    }

    /// Gives the DER form, or nil when `raw` isn't 64 bytes long.
    static func der(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == Int(halfBytes * 2), let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        guard let r = BN_bin2bn(Array(raw.prefix(Int(halfBytes))), halfBytes, nil) else { return nil }
        guard let s = BN_bin2bn(Array(raw.suffix(Int(halfBytes))), halfBytes, nil),
            ECDSA_SIG_set0(signature, r, s) == 1
        else {
            BN_free(r)
            return nil
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(signature, &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, #file, #line) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }
}
