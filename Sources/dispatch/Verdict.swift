internal import APNs
internal import Posix
internal import Queue

/// What came of one request: an answer, or the reason why there is none.
enum Answer: Equatable {
    case response(NotificationResponse)
    case missing(Disposition.TransportFailure)

    /// What a row calls it.
    var summary: String {
        switch self {
        case .response(let response): response.summary
        case .missing(let failure): failure.summary
        }
    }

    /// What it means.
    var disposition: Disposition {
        switch self {
        case .response(let response): .of(response)
        case .missing(let failure): .of(failure)
        }
    }
}

/// Turns a disposition into the change of the delivery's row and of its device.
enum Verdict {
    /// A 410 for a token that has been registered anew is asked about once more, then believed.
    private static let triesAfterNewRegistration = 2

    /// Writes the settlement for what came of a request.
    ///
    /// - Parameters:
    ///   - delivery: the row as it was taken.
    ///   - outcome: what came of it.
    ///   - requestedAt: when the request was submitted.
    ///   - now: when its end was known.
    ///   - jitter: from 0 to 1, at random.
    static func settlement(
        of delivery: DueDelivery, _ outcome: Answer, requestedAt: WallTime, now: WallTime, jitter: Double
    ) -> Settlement {
        let reason = outcome.summary
        var settled: Outcome
        var change = deviceChange(outcome.disposition.device, reason, requestedAt)
        switch outcome.disposition.delivery {
        case .sent: settled = .ended(.sent, reason: "accepted")
        case .failed: settled = .ended(.failed, reason: reason)
        case .deferred(let charged):
            settled = deferred(delivery, outcome, charged: charged, now: now, jitter: jitter)
        case .judgedByRegistration:
            let gone = Unregistration.moment(
                timestamp: timestamp(outcome), requestedAt: requestedAt.milliseconds)
            if (delivery.device?.registeredAt.milliseconds ?? 0) <= gone {
                settled = .ended(.failed, reason: reason)
                // Checked again with the change: the device may have registered since the request.
                change = .reaped(
                    reason: reason, unlessRegisteredSince: WallTime(milliseconds: gone + 1))
            } else if delivery.attempts + 1 < triesAfterNewRegistration {
                settled = deferred(delivery, outcome, charged: true, now: now, jitter: jitter)
            } else {
                settled = .ended(.failed, reason: reason)
            }
        }
        return Settlement(
            delivery: delivery.id, attempts: delivery.attempts, nextAttemptAt: delivery.nextAttemptAt,
            outcome: settled, deviceChange: change)
    }

    /// Writes the settlement for a delivery that needs no request.
    static func settlement(of delivery: DueDelivery, ended end: End, reason: String) -> Settlement {
        Settlement(
            delivery: delivery.id, attempts: delivery.attempts, nextAttemptAt: delivery.nextAttemptAt,
            outcome: .ended(end, reason: reason), deviceChange: nil)
    }

    private static func deferred(
        _ delivery: DueDelivery, _ outcome: Answer, charged: Bool, now: WallTime, jitter: Double
    ) -> Outcome {
        // Uncharged: the lane or the connection decides when it goes on, not this row.
        guard charged else {
            return .deferred(until: delivery.nextAttemptAt, charged: false, reason: outcome.summary)
        }
        let delay = RetrySchedule.delay(
            attempts: delivery.attempts &+ 1, retryAfter: retryAfter(outcome), jitter: jitter)
        return .deferred(until: now.advanced(by: delay), charged: true, reason: outcome.summary)
    }

    /// The device may have registered anew since the request: then the answer is about what it was before.
    private static func deviceChange(
        _ action: Disposition.DeviceAction, _ reason: String, _ requestedAt: WallTime
    ) -> DeviceChange? {
        switch action {
        case .none: nil
        case .seen: .seen
        case .suspect: .suspected(reason: reason, unlessRegisteredSince: requestedAt)
        case .blamed: .failed(reason: reason, unlessRegisteredSince: requestedAt)
        }
    }

    private static func retryAfter(_ outcome: Answer) -> Duration? {
        guard case .response(let response) = outcome else { return nil }
        return response.retryAfter
    }

    private static func timestamp(_ outcome: Answer) -> Int64? {
        guard case .response(let response) = outcome else { return nil }
        return response.timestamp
    }
}
