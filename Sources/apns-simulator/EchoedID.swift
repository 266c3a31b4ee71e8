internal import HTTP2

/// The `apns-id` of a push: a UUID.
enum EchoedID {
    /// Whether this is a UUID as Apple writes it: lower-case hexadecimal digits in groups of 8-4-4-4-12.
    static func isCanonical(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy(isHexadecimalDigit)
    }

    /// The one a request came with, or an invented one where it has none that is good.
    static func of(_ headers: [HeaderField], using random: inout some RandomNumberGenerator) -> String {
        if let id = headers["apns-id"], isCanonical(id) { return id }
        return invented(using: &random)
    }

    /// A random UUID (version 4, RFC 9562 section 5.4).
    private static func invented(using random: inout some RandomNumberGenerator) -> String {
        let digits = (0..<32).map { place in
            switch place {
            case 12: 4
            case 16: Int.random(in: 8...11, using: &random)
            default: Int.random(in: 0...15, using: &random)
            }
        }
        return digits.enumerated().map { place, digit in
            ([8, 12, 16, 20].contains(place) ? "-" : "") + String(digit, radix: 16)
        }.joined()
    }
}
