import Posix
import TLS
import Testing

@testable import APNsSimulatorCommand

@Suite("What Apple wants of a provider token")
struct PresentedTokenTests {
    private let provider: Provider
    private let now = WallTime(milliseconds: 1_790_000_000_000)

    init() throws { provider = try Provider() }

    private func fault(_ authorization: String?) throws -> RefusalReason? {
        let key = try provider.key.publicKey
        return CheckedToken(authorization) {
            $0.fault(under: key, keyID: "SIMULATOR1", teamID: "SIMULATEAM", now: now)
        }.fault
    }

    @Test(
        "An age up to an hour is good, more is ExpiredProviderToken, and the future is InvalidProviderToken",
        arguments: [
            (0, nil), (3_600, nil), (3_601, .expiredProviderToken), (-60, nil), (-61, .invalidProviderToken),
        ] as [(Int64, RefusalReason?)])
    func age(seconds: Int64, reason: RefusalReason?) throws {
        #expect(try fault(provider.bearer(issuedAt: 1_790_000_000 - seconds)) == reason)
    }

    @Test("The scheme's letters may be large or small", arguments: ["bearer", "Bearer", "BEARER"])
    func scheme(_ scheme: String) throws {
        let token = try provider.bearer(issuedAt: 1_790_000_000).dropFirst("bearer".count)
        #expect(try fault(scheme + token) == nil)
    }

    @Test("Hazard 52: A typ field in the header does no harm")
    func typ() throws {
        let header = #"{"alg":"ES256","kid":"SIMULATOR1","typ":"JWT"}"#
        #expect(
            try fault(provider.bearer(header: header, claims: #"{"iss":"SIMULATEAM","iat":1790000000}"#))
                == nil)
    }

    @Test(
        "Hazard 50: Header and claims must have the right names, values and types in the right place",
        arguments: [
            (#"{"alg":"ES384","kid":"SIMULATOR1"}"#, #"{"iss":"SIMULATEAM","iat":1790000000}"#),
            (#"{"alg":"none","kid":"SIMULATOR1"}"#, #"{"iss":"SIMULATEAM","iat":1790000000}"#),
            (#"{"alg":"ES256","kid":"SIMULATOR2"}"#, #"{"iss":"SIMULATEAM","iat":1790000000}"#),
            (#"{"alg":"ES256"}"#, #"{"iss":"SIMULATEAM","iat":1790000000,"kid":"SIMULATOR1"}"#),
            (#"{"alg":"ES256","kid":1}"#, #"{"iss":"SIMULATEAM","iat":1790000000}"#),
            (Provider.goodHeader, #"{"iss":"OTHER","iat":1790000000}"#),
            (Provider.goodHeader, #"{"iat":1790000000}"#), (Provider.goodHeader, #"{"iss":"SIMULATEAM"}"#),
            (Provider.goodHeader, #"{"iss":"SIMULATEAM","iat":1790000000.0}"#),
            (Provider.goodHeader, #"{"iss":"SIMULATEAM","iat":1.79e9}"#),
            (Provider.goodHeader, #"{"iss":"SIMULATEAM","iat":null}"#),
            (Provider.goodHeader, #"{"iss":"SIMULATEAM","iat":9223372036854775807}"#),
            (Provider.goodHeader, #"["SIMULATEAM",1790000000]"#), ("ES256", "{}"),
        ])
    func contents(header: String, claims: String) throws {
        #expect(try fault(provider.bearer(header: header, claims: claims)) == .invalidProviderToken)
    }

    @Test("A signature of another key, over other claims, or cut short is InvalidProviderToken")
    func signatures() throws {
        let claims = #"{"iss":"SIMULATEAM","iat":1790000000}"#
        #expect(try fault(Provider().bearer(claims: claims)) == .invalidProviderToken)
        let other = try provider.bearer(claims: claims) { key, message in try key.sign(message + [0]) }
        #expect(try fault(other) == .invalidProviderToken)
        let short = try provider.bearer(claims: claims) { key, message in try key.sign(message).dropLast() }
        #expect(try fault(short) == .invalidProviderToken)
    }

    @Test(
        "Base64 with padding, of the other alphabet or with bits left over isn't a token's",
        arguments: ["YQ==", "+/+/", "YR", "Y", "Y Q"])
    func strictBase64(text: String) {
        #expect(Base64URL.decode(text[...]) == nil)
    }

    @Test(
        "Base64 of every length is decoded",
        arguments: [("", ""), ("YQ", "a"), ("YWI", "ab"), ("YWJj", "abc"), ("YWJjZA", "abcd")])
    func base64(text: String, decoded: String) {
        #expect(Base64URL.decode(text[...]) == Array(decoded.utf8))
        #expect(Base64URL.decode("-_-_") == [0xFB, 0xFF, 0xBF])
    }
}
