internal import COpenSSL

/// One TLS connection without a socket: bytes from the network go in, bytes for the network come out.
///
/// Feed what arrives to `receive`, call `handshake` until it gives true, then `read` and `write`; after each of
/// these, `bytesToSend` may have something, since OpenSSL answers alerts, tickets and key updates by itself.
/// Both directions are OpenSSL's memory BIOs, which take every write whole: so no call can stop half-way for want of
/// room, and the modes for partial writes and moving buffers (SSL_CTX_set_mode(3)) have nothing to do here.
/// After a thrown error only `bytesToSend` is of use: it holds the alert for the peer. One thread.
public final class TLSSession {
    private let session: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    // The C object's callbacks know these two by address, so they live as long as it does.
    private let verdict: ChainVerdict
    private let context: TLSContext
    private var isEstablished = false
    private var failure: TLSError?

    /// Whether the peer has ended its side in good order (close_notify); no plaintext follows.
    public private(set) var peerHasClosed = false

    /// Starts the client's side of a connection.
    ///
    /// - Parameters:
    ///   - context: made by `TLSContext.client`.
    ///   - hostName: the name or IP address that the peer's certificate must hold as an alternative name (RFC 9525
    ///     section 6.3); a name is sent to it as well (SNI). Throws `uncheckableHostName`.
    public convenience init(client context: TLSContext, hostName: String) throws(TLSError) {
        // For OpenSSL no name means no check, and a dot in front any host below (X509_check_host(3)).
        guard !hostName.isEmpty, !hostName.hasPrefix("."), !hostName.utf8.contains(0) else {
            throw .uncheckableHostName
        }
        try self.init(context, ChainVerdict(hostName: hostName))
        try check("ask for \(hostName)", SSL_set1_host(session, hostName))
        SSL_set_hostflags(
            session,
            CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        // SNI carries names only (RFC 6066 section 3).
        if !isIPAddress(hostName) {
            try check("name \(hostName)", CInt(copenssl_set_tlsext_host_name(session, hostName)))
        }
        SSL_set_connect_state(session)
    }

    /// Starts the server's side of a connection.
    ///
    /// - Parameter context: made by `TLSContext.server`.
    public convenience init(server context: TLSContext) throws(TLSError) {
        try self.init(context, ChainVerdict(hostName: ""))
        SSL_set_accept_state(session)
    }

    private init(_ context: TLSContext, _ verdict: ChainVerdict) throws(TLSError) {
        ERR_clear_error()
        let session = try required("make a TLS session", SSL_new(context.pointer))
        guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
            SSL_free(session)
            throw .taken("make a TLS session")
        }
        SSL_set_bio(session, incoming, outgoing)
        SSL_set_ex_data(session, 0, Unmanaged.passUnretained(verdict).toOpaque())
        self.session = session
        self.incoming = incoming
        self.outgoing = outgoing
        self.verdict = verdict
        self.context = context
    }

    deinit { SSL_free(session) }

    /// Takes bytes that arrived from the network, in pieces of any length.
    ///
    /// They are kept until `handshake` or `read` wants them: the caller bounds how much.
    public func receive(_ ciphertext: [UInt8]) throws(TLSError) {
        if let failure { throw failure }
        append(ciphertext, to: incoming)
    }

    /// Goes on with the handshake as far as the bytes received allow; gives whether it is done.
    ///
    /// Done means: at least TLS 1.2, the peer's certificate and name verified, HTTP/2 agreed.
    public func handshake() throws(TLSError) -> Bool {
        if let failure { throw failure }
        if isEstablished { return true }
        ERR_clear_error()
        let result = SSL_do_handshake(session)
        if result == 1 {
            guard agreedProtocol == "h2" else { throw fail(.noHTTP2) }
            isEstablished = true
            return true
        }
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: return false
        case SSL_ERROR_ZERO_RETURN: throw fail(.closedInHandshake)
        default: throw fail(verdict.problem.map { .certificate($0) } ?? .taken("TLS handshake"))
        }
    }

    /// Gives all plaintext that can be had from the bytes received so far.
    ///
    /// Plaintext that came before an error is given first; the error is thrown by the next call.
    public func read() throws(TLSError) -> [UInt8] {
        if let failure { throw failure }
        guard isEstablished else { return [] }
        var plaintext: [UInt8] = []
        while !peerHasClosed {
            ERR_clear_error()
            var count = 0
            var result: CInt = 0
            let piece = [UInt8](unsafeUninitializedCapacity: Self.recordBytes) { buffer, length in
                result = SSL_read_ex(session, buffer.baseAddress, Self.recordBytes, &count)
                length = count
            }
            plaintext += piece
            if result == 1 { continue }
            switch SSL_get_error(session, result) {
            case SSL_ERROR_WANT_READ: return plaintext
            case SSL_ERROR_ZERO_RETURN: peerHasClosed = true
            default:
                let failure = fail(.taken("TLS read"))
                if plaintext.isEmpty { throw failure }
                return plaintext
            }
        }
        return plaintext
    }

    /// Encrypts `plaintext`; the result is in `bytesToSend`.
    public func write(_ plaintext: [UInt8]) throws(TLSError) {
        if let failure { throw failure }
        // For OpenSSL an empty write is undefined.
        guard !plaintext.isEmpty else { return }
        ERR_clear_error()
        var count = 0
        guard SSL_write_ex(session, plaintext, plaintext.count, &count) == 1 else {
            throw fail(.taken("TLS write"))
        }
    }

    /// Takes out what must go to the network now.
    public func bytesToSend() -> [UInt8] { takeAll(from: outgoing) }

    /// Tells the peer that nothing follows (close_notify); the result is in `bytesToSend`.
    public func close() {
        guard isEstablished, failure == nil else { return }
        ERR_clear_error()
        SSL_shutdown(session)
        ERR_clear_error()
    }

    /// The most plaintext one TLS record can hold (RFC 8446 section 5.1).
    private static let recordBytes = 16_384

    private var agreedProtocol: String {
        var name: UnsafePointer<UInt8>?
        var count: CUnsignedInt = 0
        SSL_get0_alpn_selected(session, &name, &count)
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    private func fail(_ error: TLSError) -> TLSError {
        failure = error
        return error
    }
}
