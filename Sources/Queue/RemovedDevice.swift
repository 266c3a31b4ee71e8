/// A device that has just become a tombstone.
public struct RemovedDevice: Equatable, Sendable {
    /// Its id.
    public var id: Int64
    /// Why it was removed.
    public var reason: String

    /// Names a device and the reason.
    public init(id: Int64, reason: String) {
        self.id = id
        self.reason = reason
    }
}
