internal import APNs
internal import Posix
internal import Queue

/// Turns what an answer means into the change of the delivery's row and of its device.
enum Verdict {
    /// A 410 for a token that has been registered anew is asked about once more, then believed.
    private static let attemptsAfterNewRegistration = 2

    /// Writes the settlement for what came of a request.
    ///
    /// - Parameters:
    ///   - delivery: the row as it was taken.
    ///   - answer: what came of it.
    ///   - requestedAt: when the request was submitted.
    ///   - now: when its end was known.
    ///   - jitter: from 0 to 1, at random.
    static func settlement(
        of delivery: DueDelivery, _ answer: Answer, requestedAt: WallTime, now: WallTime, jitter: Double
    ) -> Settlement {
        let reason = answer.summary
        switch answer.disposition.delivery {
        case .sent: return Settlement(delivery, .ended(.sent, reason: "accepted"), deviceChange: .seen)
        case .failed:
            let blame = blame(answer.disposition.device, reason, requestedAt)
            return Settlement(delivery, .ended(.failed, reason: reason), deviceChange: blame)
        case .deferred(charged: false):
            // The lane or the connection decides when it goes on, not this row.
            return Settlement(
                delivery, .deferred(until: delivery.nextAttemptAt, charged: false, reason: reason))
        case .deferred(charged: true):
            return Settlement(delivery, deferred(delivery, answer, now: now, jitter: jitter))
        case .judgedByRegistration:
            let gone = Unregistration.moment(
                timestamp: answer.response?.timestamp, requestedAt: requestedAt.milliseconds)
            if (delivery.device?.registeredAt.milliseconds ?? 0) <= gone {
                // Checked again with the change: the device may have registered since the request.
                let reaped = DeviceChange.reaped(
                    reason: reason, unlessRegisteredSince: WallTime(milliseconds: gone + 1))
                return Settlement(delivery, .ended(.failed, reason: reason), deviceChange: reaped)
            }
            return delivery.attempts + 1 < attemptsAfterNewRegistration
                ? Settlement(delivery, deferred(delivery, answer, now: now, jitter: jitter))
                : Settlement(delivery, .ended(.failed, reason: reason))
        }
    }

    private static func deferred(_ delivery: DueDelivery, _ answer: Answer, now: WallTime, jitter: Double)
        -> Outcome
    {
        let delay = RetrySchedule.delay(
            attempts: delivery.attempts + 1,
            retryAfter: answer.response?.retryDelay(wallSeconds: now.seconds), jitter: jitter)
        return .deferred(until: now.advanced(by: delay), charged: true, reason: answer.summary)
    }

    /// The device may have registered anew since the request: then the answer is about what it was before.
    private static func blame(_ action: Disposition.DeviceAction, _ reason: String, _ requestedAt: WallTime)
        -> DeviceChange?
    {
        switch action {
        case .none, .seen, .throttled: nil
        case .suspected: .suspected(reason: reason, unlessRegisteredSince: requestedAt)
        case .struck: .failed(reason: reason, unlessRegisteredSince: requestedAt)
        }
    }
}
