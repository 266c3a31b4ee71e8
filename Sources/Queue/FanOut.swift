public import Posix

/// Whom a notice could ring, at the moment it is fanned out.
public struct Recipients: Equatable, Sendable {
    /// The account's id; nil when nobody ever registered a device for the user.
    public var account: Int64?
    /// Whether the account wants any push.
    public var pushEnabled: Bool
    /// The account's live devices, suspects among them, by id.
    public var devices: [Recipient]
    /// The UIDVALIDITY first seen for the notice's folder, before this notice.
    public var firstUIDValidity: UInt32?

    /// Puts recipients together, for tests of what is decided about them.
    public init(account: Int64?, pushEnabled: Bool, devices: [Recipient], firstUIDValidity: UInt32?) {
        self.account = account
        self.pushEnabled = pushEnabled
        self.devices = devices
        self.firstUIDValidity = firstUIDValidity
    }
}

/// One device a notice could ring.
@dynamicMemberLookup
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

    /// The fields of the device read as the recipient's own.
    public subscript<Field>(dynamicMember field: KeyPath<Device, Field>) -> Field { device[keyPath: field] }

    /// The fields of the device's registration read as the recipient's own.
    public subscript<Field>(dynamicMember field: KeyPath<DeviceRegistration, Field>) -> Field {
        device.registration[keyPath: field]
    }
}

/// One delivery to be made out of a notice.
public struct NewDelivery: Equatable, Sendable {
    /// The device's id.
    public var device: Int64
    /// The `apns-id` of all its attempts.
    public var apnsID: String
    /// The `apns-collapse-id` of all its attempts.
    public var collapseID: String?
    /// When it is worth nothing any more; kept in whole seconds, rounded down.
    public var expiration: WallTime

    /// Puts a delivery together.
    public init(device: Int64, apnsID: String, collapseID: String?, expiration: WallTime) {
        self.device = device
        self.apnsID = apnsID
        self.collapseID = collapseID
        self.expiration = expiration
    }
}

/// What becomes of a notice.
public enum FanOutDecision: Equatable, Sendable {
    /// One delivery for each of these devices; none at all is a drop for want of a device.
    case deliver([NewDelivery])
    /// The notice ends here.
    case drop(DropReason)
}
