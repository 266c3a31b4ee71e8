/// What Apple addresses one installation of one app by: opaque bytes, written in hexadecimal.
///
/// Apple promises no length; real ones have 32 bytes and more. It never appears whole in a log or an error.
public struct DeviceToken: Equatable, Hashable, Sendable {
    /// Lengths accepted, in bytes: below and above, asking Apple is a waste.
    public static let acceptedLengths = 32...200

    /// The token itself.
    public let bytes: [UInt8]

    /// Wraps a token of an accepted length.
    public init?(bytes: [UInt8]) {
        guard Self.acceptedLengths.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Reads hexadecimal digits of either case, nothing else around them.
    public init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Character(Unicode.Scalar(digits[index])).hexDigitValue,
                let low = Character(Unicode.Scalar(digits[index + 1])).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self.init(bytes: bytes)
    }

    /// The whole token in lower-case hexadecimal, for Apple's eyes only.
    public var hexadecimal: String { hexadecimalText(bytes) }
}

/// Writes bytes in lower-case hexadecimal, two digits each.
public func hexadecimalText(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 0xF)])
    }
    return String(decoding: text, as: UTF8.self)
}
