/// What of a server's abilities changes how commands are written.
public struct Capabilities: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set of its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Literals need no permission (RFC 7888).
    public static let literalPlus = Capabilities(rawValue: 1)
    /// Those of up to 4096 bytes need none, and no other is ever sent (RFC 7888).
    public static let literalMinus = Capabilities(rawValue: 2)
    /// AUTHENTICATE takes its first answer with it (RFC 4959).
    public static let initialResponse = Capabilities(rawValue: 4)

    init(name: [UInt8]) {
        switch String(decoding: name, as: UTF8.self).uppercased() {
        case "LITERAL+": self = .literalPlus
        case "LITERAL-": self = .literalMinus
        case "SASL-IR": self = .initialResponse
        default: self = []
        }
    }
}
