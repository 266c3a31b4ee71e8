internal import JSON

/// A signed provider token and when it was issued.
public struct ProviderToken: Equatable, Sendable {
    /// What stands after `bearer `.
    public var text: String
    /// The claim `iat`: seconds since the epoch by the wall clock.
    public var issuedAt: Int64

    /// Puts a token together.
    public init(text: String, issuedAt: Int64) {
        self.text = text
        self.issuedAt = issuedAt
    }
}

/// A provider token that only lacks its signature.
public struct UnsignedProviderToken: Equatable, Sendable {
    let text: String
    let issuedAt: Int64

    /// What is signed with ES256 (RFC 7515 section 5.1).
    public var message: [UInt8] { Array(text.utf8) }
}

/// Decides when the provider token is used again and when a new one is signed.
///
/// One machine serves all connections of a team and key, because Apple counts new tokens: more than one in 20
/// minutes earns TooManyProviderTokenUpdates, and one older than an hour ExpiredProviderToken (Apple: Establishing
/// a token-based connection to APNs).
public struct ProviderTokenMachine: Sendable {
    /// The age at which a token is replaced.
    public static let replacementAge: Duration = .seconds(50 * 60)
    /// The least time between two new tokens.
    public static let floor: Duration = .seconds(20 * 60)
    /// How far the wall clock may have gone from the time a token claims; Apple judges by the true time.
    public static let clockTolerance: Duration = .seconds(5 * 60)

    /// What the caller does next.
    public enum Action: Equatable, Sendable {
        case use(String)
        /// Sign this one and hand it to `signed`.
        case sign(UnsignedProviderToken)
    }

    private let keyID: String
    private let teamID: String
    private var current: (token: ProviderToken, issuedAt: Duration)?

    /// Starts with what an earlier process left, so that a restart mints nothing.
    ///
    /// - Parameters:
    ///   - keyID: ten characters from Apple's developer portal.
    ///   - teamID: the same of the team.
    ///   - kept: the token of the last process, signed with the same key.
    ///   - now: time since boot.
    ///   - wallSeconds: the wall clock, in seconds since the epoch.
    public init(keyID: String, teamID: String, kept: ProviderToken?, now: Duration, wallSeconds: Int64) {
        self.keyID = keyID
        self.teamID = teamID
        guard let kept else { return }
        let (age, overflow) = wallSeconds.subtractingReportingOverflow(kept.issuedAt)
        // One from the future was issued by a clock that has since been put right.
        guard !overflow, age >= 0, .seconds(age) < Self.replacementAge else { return }
        current = (kept, now - .seconds(age))
    }

    /// Gives the token for a request, or what has to be signed for a new one.
    ///
    /// - Parameters:
    ///   - now: time since boot, by which a token ages.
    ///   - wallSeconds: the wall clock, in seconds since the epoch.
    public mutating func token(now: Duration, wallSeconds: Int64) -> Action {
        if let current, !isStale(current, now: now, wallSeconds: wallSeconds) {
            return .use(current.token.text)
        }
        let text = base64URL(header.bytes) + "." + base64URL(claims(issuedAt: wallSeconds).bytes)
        return .sign(UnsignedProviderToken(text: text, issuedAt: wallSeconds))
    }

    /// Whether a token is too old, or says another time than the wall clock would have: one of the two was wrong.
    private func isStale(
        _ current: (token: ProviderToken, issuedAt: Duration), now: Duration, wallSeconds: Int64
    ) -> Bool {
        let age = now - current.issuedAt
        guard age >= Self.floor else { return false }
        if age >= Self.replacementAge { return true }
        let (wallAge, overflow) = wallSeconds.subtractingReportingOverflow(current.token.issuedAt)
        let drift = Duration.seconds(wallAge) - age
        return overflow || drift > Self.clockTolerance || drift < .zero - Self.clockTolerance
    }

    /// Takes a signed token into use, and gives it to be kept.
    ///
    /// - Parameters:
    ///   - unsigned: what `token` gave out.
    ///   - signature: r and s, 32 bytes each (RFC 7518 section 3.4).
    ///   - now: time since boot.
    public mutating func signed(_ unsigned: UnsignedProviderToken, with signature: [UInt8], now: Duration)
        -> ProviderToken
    {
        let token = ProviderToken(
            text: unsigned.text + "." + base64URL(signature), issuedAt: unsigned.issuedAt)
        current = (token, now)
        return token
    }

    private var header: JSONText {
        var text = JSONText()
        text.beginObject()
        text.key("alg")
        text.string("ES256".utf8)
        text.key("kid")
        text.string(keyID.utf8)
        text.endObject()
        return text
    }

    private func claims(issuedAt: Int64) -> JSONText {
        var text = JSONText()
        text.beginObject()
        text.key("iss")
        text.string(teamID.utf8)
        text.key("iat")
        text.integer(issuedAt)
        text.endObject()
        return text
    }
}

/// Base 64 with the URL alphabet and without padding (RFC 4648 section 5, RFC 7515 section 2).
func base64URL(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        var bits: UInt32 = 0
        for byte in group { bits = bits << 8 | UInt32(byte) }
        bits <<= UInt32(8 * (3 - group.count))
        for index in 0...group.count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * index) & 0x3F)]) }
    }
    return String(decoding: text, as: UTF8.self)
}
