internal import APNs
internal import Posix
internal import Queue

/// Decides, from a delivery and its device as they are this moment, whether a request goes out.
///
/// A device may have been removed, silenced or passed on since the fan-out; then nothing is sent.
enum Submission: Equatable {
    case send(NotificationRequest)
    case end(End, reason: String)

    /// Looks at a delivery that is due.
    static func of(_ delivery: DueDelivery, now: WallTime) -> Submission {
        guard let device = delivery.device, device.removedAt == nil else { return drop(.deviceGone) }
        guard delivery.pushEnabled else { return drop(.pushOff) }
        guard device.wants(folder: delivery.notice.folder) else { return drop(.folderOff) }
        guard device.suspectSince == nil else { return drop(.deviceSuspect) }
        guard now < delivery.expiration else { return .end(.expired, reason: "expired") }
        guard let token = DeviceToken(bytes: device.token), let platform = Platform(rawValue: device.platform)
        else { return .end(.failed, reason: "device row unusable") }
        let payload = NotificationPayload(
            pushType: platform.pushType, message: MessageReference(delivery.notice, device))
        guard payload.bytes.count <= NotificationPayload.maximumBytes else {
            return .end(.failed, reason: "PayloadTooLarge")
        }
        return .send(
            NotificationRequest(
                token: token, topic: device.topic, pushType: platform.pushType, id: delivery.apnsID,
                expiration: delivery.expiration.seconds, collapseID: delivery.collapseID, payload: payload))
    }

    private static func drop(_ reason: DropReason) -> Submission { .end(.dropped, reason: reason.rawValue) }
}
