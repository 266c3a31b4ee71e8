internal import TLS

/// Reads the provider's signing key, Apple's `.p8`, and refuses one that others could read too.
enum SigningKeyFile {
    /// Opens, checks and parses the key.
    static func load(_ path: String) throws(SecretFile.Failure) -> SigningKey {
        let bytes = try SecretFile.read(path)
        do throws(TLSError) {
            return try SigningKey(pem: bytes)
        } catch {
            throw SecretFile.Failure(fault: "is not a P-256 private key in PEM form, as Apple's .p8 is")
        }
    }
}
