internal import COpenSSL

/// What all sessions of one side share: whom it trusts or who it is.
///
/// TLS 1.2 or newer, no renegotiation, and HTTP/2 only (ALPN `h2`). One thread.
public final class TLSContext {
    let pointer: OpaquePointer
    /// What this side speaks in ALPN's form: each name behind its length (RFC 7301 section 3.1).
    let protocols: [UInt8]

    static let http2: [UInt8] = [2, UInt8(ascii: "h"), UInt8(ascii: "2")]

    /// Makes a context for clients: the peer must prove its name under the system's roots.
    ///
    /// - Parameter caFile: PEM certificates of further roots to trust, or nil.
    public static func client(caFile: String?) throws(TLSError) -> TLSContext {
        try client(caFile: caFile, protocols: http2)
    }

    /// Makes a context for servers, which ask clients for no certificate.
    public static func server(certificatePEM: [UInt8], keyPEM: [UInt8]) throws(TLSError) -> TLSContext {
        try server(certificatePEM: certificatePEM, keyPEM: keyPEM, protocols: http2)
    }

    /// A client that may speak something else, or nothing, to test how servers take it.
    static func client(caFile: String?, protocols: [UInt8]) throws(TLSError) -> TLSContext {
        let context = try TLSContext(TLS_client_method(), protocols: protocols)
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, noteProblem)
        try check("load the system's roots", SSL_CTX_set_default_verify_paths(context.pointer))
        if let caFile { try check("load \(caFile)", SSL_CTX_load_verify_file(context.pointer, caFile)) }
        // Returns 0 for success, unlike the rest of the library.
        guard SSL_CTX_set_alpn_protos(context.pointer, protocols, CUnsignedInt(protocols.count)) == 0 else {
            throw .taken("offer HTTP/2")
        }
        return context
    }

    /// A server that may speak something else, or nothing, to test how clients take it.
    static func server(certificatePEM: [UInt8], keyPEM: [UInt8], protocols: [UInt8]) throws(TLSError)
        -> TLSContext
    {
        let context = try TLSContext(TLS_server_method(), protocols: protocols)
        let bio = try MemoryBIO(certificatePEM)
        let certificate = try required("read the certificate", PEM_read_bio_X509(bio.pointer, nil, nil, nil))
        defer { X509_free(certificate) }
        let key = try privateKey(pem: keyPEM)
        defer { EVP_PKEY_free(key) }
        try check("use the certificate", SSL_CTX_use_certificate(context.pointer, certificate))
        try check("use the certificate's key", SSL_CTX_use_PrivateKey(context.pointer, key))
        if !protocols.isEmpty {
            SSL_CTX_set_alpn_select_cb(
                context.pointer, selectProtocol, Unmanaged.passUnretained(context).toOpaque())
        }
        return context
    }

    private init(_ method: OpaquePointer?, protocols: [UInt8]) throws(TLSError) {
        ERR_clear_error()
        let pointer = try required("make a TLS context", SSL_CTX_new(method))
        self.pointer = pointer
        self.protocols = protocols
        try check("ask for TLS 1.2 or newer", copenssl_set_min_proto_version(pointer, TLS1_2_VERSION))
        copenssl_refuse_renegotiation(pointer)
    }

    deinit { SSL_CTX_free(pointer) }
}

/// Chooses the first protocol of ours that the client offers (the corresponding C type is SSL_CTX_alpn_select_cb_func).
private let selectProtocol:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
        UnsafePointer<UInt8>?, CUnsignedInt, UnsafeMutableRawPointer?
    ) -> CInt = { _, selected, length, offered, offeredCount, context in
        guard let context, let selected, let length else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        let ours = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().protocols
        var choice: UnsafeMutablePointer<UInt8>?
        // An agreed answer points into the list that is named first, and `offered` outlives this call.
        let result = SSL_select_next_proto(
            &choice, length, offered, offeredCount, ours, CUnsignedInt(ours.count))
        guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        selected.pointee = UnsafePointer(choice)
        return SSL_TLSEXT_ERR_OK
    }

/// Remembers the first problem of a chain for the session's error (the corresponding C type is SSL_verify_cb).
private let noteProblem: @convention(c) (CInt, OpaquePointer?) -> CInt = { accepted, store in
    if accepted == 1 { return 1 }
    let index = SSL_get_ex_data_X509_STORE_CTX_idx()
    guard let session = X509_STORE_CTX_get_ex_data(store, index),
        let noted = SSL_get_ex_data(OpaquePointer(session), 0)
    else { return 0 }
    Unmanaged<ChainVerdict>.fromOpaque(noted).takeUnretainedValue()
        .note(X509_STORE_CTX_get_error(store), X509_STORE_CTX_get_current_cert(store))
    return 0
}
