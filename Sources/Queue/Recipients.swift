/// Whom a notice could ring, at the moment it is fanned out.
public struct Recipients: Equatable, Sendable {
    /// The account's id; nil when nobody ever registered a device for the user.
    public var account: Int64?
    /// Whether the account wants any push.
    public var pushEnabled: Bool
    /// The account's live devices, suspects among them, by id.
    public var devices: [Recipient]
    /// The UIDVALIDITY first seen for the notice's folder, before this notice; 0 where that can't be noted.
    public var firstUIDValidity: UInt32?

    /// Puts recipients together, for tests of what is decided about them.
    public init(account: Int64?, pushEnabled: Bool, devices: [Recipient], firstUIDValidity: UInt32?) {
        self.account = account
        self.pushEnabled = pushEnabled
        self.devices = devices
        self.firstUIDValidity = firstUIDValidity
    }
}
