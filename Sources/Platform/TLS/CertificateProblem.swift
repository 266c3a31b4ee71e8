internal import COpenSSL

/// Why a peer's certificate wasn't accepted: the four that a person can act on, and OpenSSL's words for the rest.
public enum CertificateProblem: Equatable, Sendable, CustomStringConvertible {
    /// No trusted root vouches for the chain; `issuer` is the last authority that was looked for.
    case unknownAuthority(issuer: String)
    /// The certificate is for other names than the one that was asked for.
    case wrongHostName(expected: String)
    /// `subject`'s certificate is past its last day, or this machine's clock is ahead.
    case expired(subject: String)
    /// `subject`'s certificate is before its first day, or this machine's clock is behind.
    case notYetValid(subject: String)
    /// Anything else, in OpenSSL's words (X509_verify_cert_error_string).
    case other(reason: String, issuer: String)

    /// One line for a log, with what to do.
    public var description: String {
        switch self {
        case .unknownAuthority(let issuer):
            "no trusted root for the peer's certificate, issued by \(issuer): "
                + "update ca-certificates or name that root in ca_file"
        case .wrongHostName(let expected): "the peer's certificate isn't for \(expected)"
        case .expired(let subject):
            "the certificate of \(subject) has expired; check this machine's clock too"
        case .notYetValid(let subject):
            "the certificate of \(subject) isn't valid yet; check this machine's clock"
        case .other(let reason, let issuer): "the peer's certificate, issued by \(issuer): \(reason)"
        }
    }

    /// Names what OpenSSL found while it verified a chain.
    ///
    /// - Parameters:
    ///   - code: X509_STORE_CTX_get_error.
    ///   - certificate: the one it stopped at.
    ///   - hostName: the name that was asked for.
    init(code: CInt, certificate: OpaquePointer?, hostName: String) {
        let issuer = certificate.map { name(X509_get_issuer_name($0)) } ?? "nobody"
        let subject = certificate.map { name(X509_get_subject_name($0)) } ?? "nobody"
        switch code {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED:
            self = .unknownAuthority(issuer: issuer)
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            self = .wrongHostName(expected: hostName)
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired(subject: subject)
        case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid(subject: subject)
        default:
            self = .other(reason: String(cString: X509_verify_cert_error_string(CLong(code))), issuer: issuer)
        }
    }
}

/// A distinguished name on one line; OpenSSL escapes what isn't printable, so it is safe in a log.
private func name(_ name: OpaquePointer?) -> String {
    guard let name, let text = X509_NAME_oneline(name, nil, 0) else { return "an unnamed authority" }
    defer { CRYPTO_free(text, #file, #line) }
    return String(cString: text)
}
