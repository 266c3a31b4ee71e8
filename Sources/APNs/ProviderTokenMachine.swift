internal import JSON

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

    /// A token in use, and what is known of its age.
    private struct Current {
        let token: ProviderToken
        /// When it was signed, in time since boot; for a token of an earlier boot, when it was taken over, at the
        /// latest.
        let mintedAt: Duration
        /// Of a token of an earlier boot nothing but the wall clock knows the age.
        let isOfThisBoot: Bool
        /// Whether Apple doesn't take it.
        var isRefused = false

        func age(now: Duration, wallSeconds: Int64) -> Duration {
            let known = max(.zero, now - mintedAt)
            return isOfThisBoot ? known : max(known, .seconds(wallSeconds) - .seconds(token.issuedAt))
        }
    }

    private let keyID: String
    private let teamID: String
    private let bootID: String?
    private var current: Current?

    /// Starts with what an earlier process left, so that a restart mints nothing.
    ///
    /// The age of a token kept from the same boot is exact, whatever has become of the wall clock since. One of an
    /// earlier boot is as old as the wall clock says; one that seems to come from the future was issued by another
    /// clock than ours is now, and may have been signed a moment ago.
    ///
    /// - Parameters:
    ///   - keyID: ten characters from Apple's developer portal.
    ///   - teamID: the same of the team.
    ///   - kept: the token of the last process, signed with the same key.
    ///   - bootID: tells this boot from others; nil where they can't be told apart.
    ///   - now: time since boot.
    public init(keyID: String, teamID: String, kept: ProviderToken?, bootID: String?, now: Duration) {
        self.keyID = keyID
        self.teamID = teamID
        self.bootID = bootID
        guard let kept, Self.plausibleTimes.contains(kept.issuedAt) else { return }
        if let minting = kept.minting, minting.bootID == bootID {
            current = Current(token: kept, mintedAt: min(minting.at, now), isOfThisBoot: true)
        } else {
            current = Current(token: kept, mintedAt: now, isOfThisBoot: false)
        }
    }

    /// Seconds of the years 1970 to 9999: anything else in a file is damage.
    private static let plausibleTimes: ClosedRange<Int64> = 0...253_402_300_799

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

    /// Whether a token is too old, refused, or of another time than the wall clock's: then one of the two was wrong.
    ///
    /// Younger than the floor it is used whatever it is.
    private func isStale(_ current: Current, now: Duration, wallSeconds: Int64) -> Bool {
        let age = current.age(now: now, wallSeconds: wallSeconds)
        guard age >= Self.floor else { return false }
        if age >= Self.replacementAge || current.isRefused { return true }
        let drift = .seconds(wallSeconds) - .seconds(current.token.issuedAt) - age
        return drift > Self.clockTolerance || drift < .zero - Self.clockTolerance
    }

    /// Apple refused a token.
    ///
    /// The answer may be about one that has been replaced since, and says nothing about its successor then.
    ///
    /// - Parameters:
    ///   - text: the token that the request was sent with.
    ///   - now: time since boot.
    ///   - wallSeconds: the wall clock, in seconds since the epoch.
    /// - Returns: whether `token` gives another one from now on; false while none may be signed yet.
    public mutating func refused(_ text: String, now: Duration, wallSeconds: Int64) -> Bool {
        guard let refused = current, refused.token.text == text else { return true }
        current?.isRefused = true
        return refused.age(now: now, wallSeconds: wallSeconds) >= Self.floor
    }

    /// How long it takes until a new token may be signed; zero when it may be now.
    ///
    /// - Parameters:
    ///   - now: time since boot.
    ///   - wallSeconds: the wall clock, in seconds since the epoch.
    public func waitForNew(now: Duration, wallSeconds: Int64) -> Duration {
        guard let current else { return .zero }
        return max(.zero, Self.floor - current.age(now: now, wallSeconds: wallSeconds))
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
            text: unsigned.text + "." + base64URL(signature), issuedAt: unsigned.issuedAt,
            minting: bootID.map { ProviderToken.Minting(bootID: $0, at: now) })
        current = Current(token: token, mintedAt: now, isOfThisBoot: true)
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
