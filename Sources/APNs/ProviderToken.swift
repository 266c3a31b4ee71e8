/// A signed provider token and when it was issued.
public struct ProviderToken: Equatable, Sendable {
    /// When a token was signed, by a clock that nobody sets.
    public struct Minting: Equatable, Sendable {
        /// Tells one boot of the machine from another.
        public var bootID: String
        /// Time since that boot.
        public var at: Duration

        /// Puts a minting together.
        public init(bootID: String, at: Duration) {
            self.bootID = bootID
            self.at = at
        }
    }

    /// What stands after `bearer `.
    public var text: String
    /// The claim `iat`: seconds since the epoch by the wall clock.
    public var issuedAt: Int64
    /// When it was signed; nil where the machine's boots can't be told apart.
    public var minting: Minting?

    /// Puts a token together.
    public init(text: String, issuedAt: Int64, minting: Minting? = nil) {
        self.text = text
        self.issuedAt = issuedAt
        self.minting = minting
    }
}
