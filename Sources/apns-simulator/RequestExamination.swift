internal import HTTP2
internal import JSON
internal import Posix
internal import TLS

/// Decides whether Apple would take a request: pure, and as strict as Apple's pages read.
///
/// Where the pages leave a choice, the stricter reading is taken, so that what passes here passes there. The order of
/// the checks is ours; Apple doesn't tell its own.
///
/// Nothing here is shared with the library that makes requests, neither rules and limits nor reason words, forms of
/// tokens and ids or base64url: a mistake that both made would pass every test.
struct RequestExamination {
    /// The half of the provider's key that Apple keeps.
    let key: VerifyingKey
    let keyID: String
    let teamID: String
    /// The only topic the key is for, or nil for any.
    var topic: String?
    /// The only environment the key is for, or nil for both.
    var environment: SimulatedEnvironment?

    /// What came of it.
    enum Verdict: Equatable {
        /// In lower case.
        case accepted(deviceToken: String)
        case refused(RefusalReason)
    }

    /// Examines a request that arrived at `now`; whether its provider token holds is told whatever the verdict is.
    func examine(_ request: PushRequest, now: WallTime) -> (verdict: Verdict, providerToken: CheckedToken) {
        let token = CheckedToken(request.headers["authorization"]) { token in
            token.fault(under: key, keyID: keyID, teamID: teamID, now: now)
        }
        do throws(RefusalReason) {
            try checkRepetition(request.headers)
            let deviceToken = try deviceToken(request.headers)
            if let fault = token.fault { throw fault }
            try checkEnvironment(request.headers[":authority"])
            try checkTopic(request.headers["apns-topic"])
            try checkIdentity(request.headers)
            try PushRules.check(request)
            return (.accepted(deviceToken: deviceToken), token)
        } catch {
            return (.refused(error), token)
        }
    }

    private func checkRepetition(_ headers: [HeaderField]) throws(RefusalReason) {
        guard Set(headers.map(\.name)).count == headers.count else { throw .duplicateHeaders }
    }

    /// POST to `/3/device/` and the token in hexadecimal digits.
    private func deviceToken(_ headers: [HeaderField]) throws(RefusalReason) -> String {
        guard headers[":method"] == "POST" else { throw .methodNotAllowed }
        let parts = (headers[":path"] ?? "").split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, parts[1] == "3", parts[2] == "device" else {
            throw .badPath
        }
        let token = parts[3].lowercased()
        if token.isEmpty { throw .missingDeviceToken }
        guard Self.tokenDigits.contains(token.utf8.count), token.utf8.count.isMultiple(of: 2),
            token.utf8.allSatisfy(isHexadecimalDigit)
        else { throw .badDeviceToken }
        return token
    }

    /// Apple says not to count on a length; today's tokens have 64 digits and some are longer.
    private static let tokenDigits = 64...400

    private func checkEnvironment(_ authority: String?) throws(RefusalReason) {
        let hostName = authority?.split(separator: ":").first.map(String.init)
        if let environment, hostName == environment.other.hostName { throw .badEnvironmentKey }
    }

    private func checkTopic(_ value: String?) throws(RefusalReason) {
        guard let value, !value.isEmpty else { throw .missingTopic }
        guard value.utf8.allSatisfy(isBundleIdentifierCharacter) else { throw .badTopic }
        if let topic, topic != value { throw .topicDisallowed }
    }

    private func checkIdentity(_ headers: [HeaderField]) throws(RefusalReason) {
        if let id = headers["apns-id"], !EchoedID.isCanonical(id) { throw .badMessageID }
        if let id = headers["apns-collapse-id"], !(1...64).contains(id.utf8.count) { throw .badCollapseID }
    }
}

extension RefusalReason: Error {}

func isHexadecimalDigit(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
}

/// Letters, digits, hyphen and full stop (CFBundleIdentifier).
private func isBundleIdentifierCharacter(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
    default: false
    }
}
