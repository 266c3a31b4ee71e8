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
