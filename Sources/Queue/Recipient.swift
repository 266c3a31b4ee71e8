/// One device a notice could ring.
public struct Recipient: Equatable, Sendable {
    /// The device.
    public var device: Device
    /// Whether no other account has a live device with the same token, topic and channel.
    public var tokenServesOneAccount: Bool

    /// Puts a recipient together, for tests.
    public init(device: Device, tokenServesOneAccount: Bool) {
        self.device = device
        self.tokenServesOneAccount = tokenServesOneAccount
    }
}
