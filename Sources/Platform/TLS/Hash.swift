internal import COpenSSL

/// The digests the project needs.
public enum Hash {
    /// SHA-1, 20 bytes: for UUID version 5 (RFC 9562), never for security.
    public static func sha1(_ message: [UInt8]) -> [UInt8] { digest(message, EVP_sha1()) }

    /// SHA-256, 32 bytes.
    public static func sha256(_ message: [UInt8]) -> [UInt8] { digest(message, EVP_sha256()) }

    /// HMAC-SHA256 (RFC 2104), 32 bytes.
    public static func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        let result = HMAC(EVP_sha256(), key, CInt(key.count), message, message.count, &code, nil)
        // Fails only without memory: no message or key is refused.
        precondition(result != nil)
        return code
    }

    private static func digest(_ message: [UInt8], _ algorithm: OpaquePointer?) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: CUnsignedInt = 0
        let result = EVP_Digest(message, message.count, &digest, &count, algorithm, nil)
        // Fails only without memory: no message is refused.
        precondition(result == 1)
        return Array(digest.prefix(Int(count)))
    }
}
