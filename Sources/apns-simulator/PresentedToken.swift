internal import JSON
internal import Posix
internal import TLS

/// The JSON Web Token of an `authorization` field, taken apart but not yet believed.
struct PresentedToken: Equatable {
    /// The header's fields.
    let header: JSONValue
    /// The claims.
    let claims: JSONValue
    /// What was signed: header, dot and claims as they came.
    let signed: [UInt8]
    let signature: [UInt8]

    /// Takes apart `bearer` and three base64url parts with dots between (RFC 7515 section 3.1), or gives nil.
    init?(authorization: String) {
        let words = authorization.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        let parts = words[1].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signed = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64URL.decode(part), let value = try? JSONParser.parse(bytes),
            case .object = value
        else { return nil }
        return value
    }

    /// When it says that it was issued, in seconds since the epoch.
    var issuedAt: Int64? { claims["iat"]?.integer }

    /// What is wrong with it, or nil (Establishing a token-based connection to APNs).
    ///
    /// Types count: `iat` as a string or a fraction is refused, and so is a DER signature.
    func fault(under key: VerifyingKey, keyID: String, teamID: String, now: WallTime) -> RefusalReason? {
        guard header["alg"] == .string("ES256"), header["kid"] == .string(keyID),
            claims["iss"] == .string(teamID), let issued = issuedAt,
            key.isValid(signature, of: signed)
        else { return .invalidProviderToken }
        if issued > now.advanced(by: Self.clockDifference).seconds { return .invalidProviderToken }
        return issued < now.advanced(by: .seconds(-Self.lifetimeSeconds)).seconds
            ? .expiredProviderToken : nil
    }

    /// How old a token may be.
    private static let lifetimeSeconds = 3_600
    /// How far the sender's clock may be ahead.
    private static let clockDifference = Duration.seconds(60)
}
