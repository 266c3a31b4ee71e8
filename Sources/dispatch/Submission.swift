internal import APNs
internal import Posix
internal import Queue

/// Decides, from a delivery and its device as they are this moment, whether a request goes out.
///
/// A device may have been removed, silenced or passed on since the fan-out; then nothing is sent.
enum Submission: Equatable {
    case send(NotificationRequest)
    case end(End, reason: String, supersededBy: Int64? = nil)
    /// Not yet, through no fault of the delivery.
    case wait(until: WallTime, reason: String)

    /// How long a delivery waits for the answer to another one of a device that takes one at a time.
    private static let turn: Duration = .seconds(2)
    /// How long one that seems to have expired waits for the clock to be trusted again.
    private static let clockDoubt: Duration = .seconds(60)

    /// Looks at a delivery that is due.
    ///
    /// - Parameters:
    ///   - maxAge: how old mail may be and still ring for itself; of older mail the newest rings for all.
    ///   - agesCount: false while the clock is in doubt (`ClockWatch`): then nothing ends because it is old.
    ///   - otherInHand: whether a request for the same device waits for its answer.
    ///   - now: the present.
    static func of(
        _ delivery: DueDelivery, maxAge: Duration, agesCount: Bool, otherInHand: Bool, now: WallTime
    ) -> Submission {
        guard let device = delivery.device, device.removedAt == nil else { return drop(.deviceGone) }
        guard delivery.pushEnabled else { return drop(.pushOff) }
        guard device.wants(delivery.notice) else { return drop(.folderOff) }
        guard now < delivery.expiration else {
            return agesCount
                ? .end(.expired, reason: "expired")
                : .wait(until: now.advanced(by: clockDoubt), reason: "the clock was set")
        }
        guard device.disabledAt == nil else { return drop(.deviceDisabled) }
        if device.suspectSince != nil {
            guard device.isProbeDue(now: now), !otherInHand else { return drop(.deviceSuspect) }
        }
        let isStale = agesCount && delivery.notice.at.advanced(by: maxAge) < now
        if let newer = delivery.newer, isStale || device.throttledUntil != nil {
            return .end(.dropped, reason: DropReason.superseded.rawValue, supersededBy: newer)
        }
        if let until = device.throttledUntil {
            // Until something is taken again, one request tries for all.
            guard now >= until else { return .wait(until: until, reason: device.lastFailure ?? "throttled") }
            if otherInHand { return .wait(until: now.advanced(by: turn), reason: "another is tried first") }
        }
        return request(delivery, device)
    }

    private static func request(_ delivery: DueDelivery, _ device: Device) -> Submission {
        guard let token = DeviceToken(bytes: device.token) else {
            return .end(.failed, reason: "device token unreadable")
        }
        guard let platform = Platform(rawValue: device.platform) else {
            return .end(.failed, reason: "device row unusable")
        }
        let payload = NotificationPayload(
            pushType: platform.pushType, message: MessageReference(delivery.notice, device))
        guard payload.bytes.count <= NotificationPayload.maximumBytes else {
            return .end(.failed, reason: "payload too large")
        }
        return .send(
            NotificationRequest(
                token: token, topic: device.topic, pushType: platform.pushType, id: delivery.apnsID,
                expiration: delivery.expiration.seconds, collapseID: delivery.collapseID, payload: payload))
    }

    private static func drop(_ reason: DropReason) -> Submission {
        .end(.dropped, reason: reason.rawValue)
    }
}
