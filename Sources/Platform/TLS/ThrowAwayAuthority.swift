internal import COpenSSL

/// A certificate authority that exists for one certificate: for tests and simulators.
///
/// Its private key never leaves `issue`, so whoever trusts it can't be lied to by anybody later.
public enum ThrowAwayAuthority {
    /// What was issued, all in PEM form.
    public struct Issued: Sendable {
        /// The authority's own certificate: what clients must trust.
        public let authorityPEM: [UInt8]
        /// The server's certificate.
        public let certificatePEM: [UInt8]
        /// The server's private key: a secret.
        public let keyPEM: [UInt8]
    }

    /// Ten years from an hour ago: clocks of two machines may differ.
    public static let usualValidity = -3_600...315_360_000

    /// Makes an authority and has it issue one server certificate.
    ///
    /// - Parameters:
    ///   - hostNames: DNS names and IP addresses the certificate is for; at least one.
    ///   - validity: from when to when the certificate is valid, in seconds from now.
    public static func issue(hostNames: [String], validity: ClosedRange<Int> = usualValidity)
        throws(TLSError) -> Issued
    {
        let authorityKey = try Key.generated()
        let serverKey = try Key.generated()
        let authority = try Certificate(
            "Throw-away authority", key: authorityKey, validity: usualValidity)
        try authority.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        try authority.add(NID_key_usage, "critical,keyCertSign")
        try authority.add(NID_subject_key_identifier, "hash")
        try authority.sign(authorityKey, issuer: authority)

        // No host's name: what the certificate is for stands in its extension only.
        let server = try Certificate("throw-away-server", key: serverKey, validity: validity)
        try server.add(NID_basic_constraints, "critical,CA:FALSE")
        try server.add(NID_ext_key_usage, "serverAuth")
        try server.add(NID_authority_key_identifier, "keyid", issuer: authority)
        let names = hostNames.map { (isIPAddress($0) ? "IP:" : "DNS:") + $0 }
        try server.add(NID_subject_alt_name, names.joined(separator: ","))
        try server.sign(authorityKey, issuer: authority)
        return Issued(
            authorityPEM: try authority.pem(), certificatePEM: try server.pem(),
            keyPEM: try serverKey.privatePEM())
    }
}
