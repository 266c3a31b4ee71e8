internal import COpenSSL
internal import Glibc

/// What went wrong between this side and its TLS peer, or with a key or certificate.
///
/// Never holds a key, a token or a byte that was sent.
public enum TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The peer's certificate wasn't accepted.
    case certificate(CertificateProblem)
    /// The handshake ended without both sides agreeing on HTTP/2 (ALPN `h2`, RFC 7301).
    case noHTTP2
    /// The peer ended the session in the middle of the handshake.
    case closedInHandshake
    /// The host name given can't be checked against a certificate: it is empty, begins with a dot or holds a NUL.
    case uncheckableHostName
    /// A key or certificate isn't what it should be; `reason` says what it is and what it should be.
    case badKey(reason: String)
    /// OpenSSL failed at `operation`; `reasons` is its whole error queue, oldest first.
    case library(operation: String, reasons: [String])

    /// One line for a log.
    public var description: String {
        switch self {
        case .certificate(let problem): problem.description
        case .noHTTP2: "the peer doesn't offer HTTP/2 (ALPN h2) on this port"
        case .closedInHandshake: "the peer closed the connection during the TLS handshake"
        case .uncheckableHostName: "no host name that the peer's certificate could be checked for"
        case .badKey(let reason): reason
        case .library(let operation, let reasons):
            "\(operation): \(reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; "))"
        }
    }

    /// Takes OpenSSL's error queue, which is emptied.
    static func taken(_ operation: String) -> TLSError {
        var reasons: [String] = []
        var data: UnsafePointer<CChar>?
        var flags: CInt = 0
        while case let code = ERR_get_error_all(nil, nil, nil, &data, &flags), code != 0 {
            var reason = words(for: code)
            if let data, flags & ERR_TXT_STRING != 0, data.pointee != 0 {
                reason += " (\(String(cString: data)))"
            }
            reasons.append(reason)
        }
        return .library(operation: operation, reasons: reasons)
    }
}

/// OpenSSL has no words for the errors of system calls, which it keeps in the same queue.
private func words(for code: CUnsignedLong) -> String {
    let words: UnsafePointer<CChar>? =
        if ERR_GET_LIB(code) == ERR_LIB_SYS {
            UnsafePointer(strerror(ERR_GET_REASON(code)))
        } else {
            ERR_reason_error_string(code)
        }
    return words.map { String(cString: $0) } ?? "error \(code)"
}

/// Gives a pointer that OpenSSL has returned, or its reasons for giving none.
func required<Pointee>(_ operation: String, _ pointer: Pointee?) throws(TLSError) -> Pointee {
    guard let pointer else { throw .taken(operation) }
    return pointer
}

/// Turns a result below 1, OpenSSL's sign of failure, into an error.
func check(_ operation: String, _ result: CInt) throws(TLSError) {
    guard result > 0 else { throw .taken(operation) }
}
