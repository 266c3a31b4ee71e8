internal import COpenSSL

/// OpenSSL's growing buffer, for reading and writing PEM text.
struct MemoryBIO: ~Copyable {
    let pointer: OpaquePointer

    /// Makes a buffer that holds `bytes`.
    init(_ bytes: [UInt8] = []) throws(TLSError) {
        pointer = try required("make a buffer", BIO_new(BIO_s_mem()))
        append(bytes, to: pointer)
    }

    deinit { BIO_free(pointer) }

    /// Takes everything out of it.
    func takeContents() -> [UInt8] { takeAll(from: pointer) }
}

/// Appends to a memory BIO, which grows as it must.
func append(_ bytes: [UInt8], to bio: OpaquePointer) {
    var written = 0
    // An empty write is an error for some kinds of BIO.
    if !bytes.isEmpty { BIO_write_ex(bio, bytes, bytes.count, &written) }
}

/// Takes everything out of a memory BIO.
func takeAll(from bio: OpaquePointer) -> [UInt8] {
    let count = BIO_ctrl_pending(bio)
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
        BIO_read_ex(bio, buffer.baseAddress, count, &length)
    }
}

/// Reads one private key.
///
/// A key under a password is refused: OpenSSL would otherwise ask for it on the terminal.
func privateKey(pem: [UInt8]) throws(TLSError) -> OpaquePointer {
    ERR_clear_error()
    let bio = try MemoryBIO(pem)
    return try required(
        "read a private key", PEM_read_bio_PrivateKey(bio.pointer, nil, { _, _, _, _ in -1 }, nil))
}
