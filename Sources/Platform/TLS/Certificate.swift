internal import COpenSSL

/// An X.509 certificate in the making.
final class Certificate {
    private let pointer: OpaquePointer

    /// Starts a certificate for `commonName` and `key`, valid in these seconds from now.
    init(_ commonName: String, key: Key, validity: ClosedRange<Int>) throws(TLSError) {
        ERR_clear_error()
        pointer = try required("make a certificate", X509_new())
        try check("set the version", X509_set_version(pointer, CLong(X509_VERSION_3)))
        let serial = UInt64.random(in: 1...UInt64(Int64.max))
        try check("set the serial number", ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), serial))
        _ = try required("set a time", X509_gmtime_adj(X509_getm_notBefore(pointer), validity.lowerBound))
        _ = try required("set a time", X509_gmtime_adj(X509_getm_notAfter(pointer), validity.upperBound))
        try check("set the key", X509_set_pubkey(pointer, key.pointer))
        let name = Array(commonName.utf8)
        try check(
            "set the subject",
            X509_NAME_add_entry_by_NID(
                X509_get_subject_name(pointer), NID_commonName, MBSTRING_UTF8, name, CInt(name.count), -1, 0))
    }

    deinit { X509_free(pointer) }

    /// Adds an extension in the words of x509v3_config(5), some of which look at the issuer.
    func add(_ identifier: CInt, _ value: String, issuer: Certificate? = nil) throws(TLSError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, (issuer ?? self).pointer, pointer, nil, nil, 0)
        let addition = try required(
            "make an extension", X509V3_EXT_conf_nid(nil, &context, identifier, value))
        defer { X509_EXTENSION_free(addition) }
        try check("add an extension", X509_add_ext(pointer, addition, -1))
    }

    /// Has `issuer`, whose key this is, sign the certificate.
    func sign(_ key: Key, issuer: Certificate) throws(TLSError) {
        try check("set the issuer", X509_set_issuer_name(pointer, X509_get_subject_name(issuer.pointer)))
        try check("sign the certificate", X509_sign(pointer, key.pointer, EVP_sha256()))
    }

    func pem() throws(TLSError) -> [UInt8] {
        let bio = try MemoryBIO()
        try check("write a certificate", PEM_write_bio_X509(bio.pointer, pointer))
        return bio.takeContents()
    }
}
