/// How device tokens are kept so that the file alone gives none away: what a program with the key can do.
public struct TokenSeal {
    /// Tells this key from others, and tells nothing about it.
    let check: [UInt8]
    /// By which a token is looked up: the same for the same token, and nobody makes it without the key.
    let hash: (_ token: [UInt8]) -> [UInt8]
    /// Hides a token; opens for the same context only.
    let seal: (_ token: [UInt8], _ context: [UInt8]) -> [UInt8]
    /// The token; nil where key or context is another one, or a bit was changed.
    let open: (_ sealed: [UInt8], _ context: [UInt8]) -> [UInt8]?

    /// Puts a seal together.
    public init(
        check: [UInt8], hash: @escaping ([UInt8]) -> [UInt8],
        seal: @escaping (_ token: [UInt8], _ context: [UInt8]) -> [UInt8],
        open: @escaping (_ sealed: [UInt8], _ context: [UInt8]) -> [UInt8]?
    ) {
        (self.check, self.hash, self.seal, self.open) = (check, hash, seal, open)
    }

    /// What a person does whose key isn't the one that tokens are sealed with; completes a line.
    public static let cure =
        "put that key back, or run doorbell device remove --all and have all devices register again"

    /// How much of a token anybody may see, in bytes: what a person knows it by.
    static let visibleBytes = 4

    /// Whose a token is, so that rows can't be swapped: a text's bytes follow their number.
    static func context(user: String, channel: String, topic: String) -> [UInt8] {
        [user, channel, topic].flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) }
    }
}
