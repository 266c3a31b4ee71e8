internal import APNs
internal import Posix
internal import Queue

/// Turns what an answer means into the change of the delivery's row and of its device.
enum Verdict {
    /// Writes the settlement for what came of a request.
    ///
    /// - Parameters:
    ///   - delivery: the row as it was taken.
    ///   - answer: what came of it.
    ///   - requestedAt: when the request was submitted.
    ///   - now: when its end was known.
    ///   - jitter: from 0 to 1, at random.
    ///   - provider: under whose name it was sent: team and key.
    ///   - laneIsDoubted: whether tokens are refused by the lane rather than on their own account.
    ///   - laneIsPaused: whether the lane is in trouble, and waits or probes.
    ///   - acceptance: who takes it, if it is taken.
    static func settlement(
        of delivery: DueDelivery, _ answer: Answer, requestedAt: WallTime, now: WallTime, jitter: Double,
        provider: String, laneIsDoubted: Bool, laneIsPaused: Bool, acceptance: Acceptance = .byService
    ) -> Settlement {
        let reason = answer.summary
        let disposition = answer.disposition
        // What a stand-in knows of tokens says nothing of what Apple does.
        let provider = acceptance == .byStandIn ? "\(provider) stand-in" : provider
        // The lane decides when this goes on, not the row. What it asked about isn't known yet.
        func again(from time: WallTime) -> Settlement {
            Settlement(delivery, .deferred(until: time, charged: false, reason: reason))
        }
        switch disposition.delivery {
        case .sent:
            let way = way(of: delivery, provider)
            return Settlement(
                delivery, .ended(.sent, reason: acceptance.rawValue), deviceChange: .seen(under: way))
        case .failed where disposition.device == .suspected && laneIsDoubted:
            // Behind what else is due, so that the lane's next probe asks about another device.
            var settlement = again(from: now)
            settlement.deviceChange = .cleared(under: way(of: delivery, provider))
            return settlement
        case .failed:
            let blame = blame(disposition.device, reason, way(of: delivery, provider), requestedAt)
            return Settlement(delivery, .ended(.failed, reason: reason), deviceChange: blame)
        case .deferred(charged: false):
            return again(from: delivery.nextAttemptAt)
        case .deferred(charged: true) where disposition.lane == .strained && laneIsPaused:
            // Behind what else is due, too: this one alone may be what the servers fail at.
            return again(from: now)
        case .deferred(charged: true) where disposition.device == .throttled:
            // All that the device waits for waits by one count, the device's own.
            let until = later(
                attempts: (delivery.device?.throttles ?? 0) + 1, answer, now: now, jitter: jitter)
            return Settlement(
                delivery, .deferred(until: until, charged: true, reason: reason),
                deviceChange: .throttled(until: until, reason: reason))
        case .deferred(charged: true):
            return Settlement(delivery, deferred(delivery, answer, now: now, jitter: jitter))
        case .judgedByRegistration:
            return judged(delivery, answer, requestedAt: requestedAt, now: now, jitter: jitter)
        }
    }

    /// A device that registered after the 410's moment may have got its token anew: it is kept, and asked about
    /// once more.
    private static func judged(
        _ delivery: DueDelivery, _ answer: Answer, requestedAt: WallTime, now: WallTime, jitter: Double
    ) -> Settlement {
        let reason = answer.summary
        let gone = Unregistration.moment(
            timestamp: answer.response?.timestamp, requestedAt: requestedAt.milliseconds)
        if (delivery.device?.registeredAt.milliseconds ?? 0) <= gone {
            // Checked again with the change: the device may have registered since the request.
            let reaped = DeviceChange.reaped(
                reason: reason, unlessRegisteredSince: WallTime(milliseconds: gone + 1))
            return Settlement(delivery, .ended(.failed, reason: reason), deviceChange: reaped)
        }
        let failed = DeviceChange.failed(reason: reason, unlessRegisteredSince: requestedAt)
        let outcome: Outcome =
            delivery.lastReason == reason
            ? .ended(.failed, reason: reason) : deferred(delivery, answer, now: now, jitter: jitter)
        return Settlement(delivery, outcome, deviceChange: failed)
    }

    private static func deferred(_ delivery: DueDelivery, _ answer: Answer, now: WallTime, jitter: Double)
        -> Outcome
    {
        let until = later(attempts: delivery.attempts + 1, answer, now: now, jitter: jitter)
        return .deferred(until: until, charged: true, reason: answer.summary)
    }

    /// When to try again: when the answer says so, else by the schedule.
    private static func later(attempts: Int, _ answer: Answer, now: WallTime, jitter: Double) -> WallTime {
        let retryAfter = answer.response?.retryDelay(wallSeconds: now.seconds)
        return now.advanced(
            by: RetrySchedule.delay(attempts: attempts, retryAfter: retryAfter, jitter: jitter))
    }

    /// What a request went by: what an answer says of a device it says of its token there and under that key.
    private static func way(of delivery: DueDelivery, _ provider: String) -> String {
        guard let device = delivery.device else { return provider }
        return "\(provider) \(device.environment) \(device.topic)"
    }

    /// The device may have registered anew since the request: then the answer is about what it was before.
    private static func blame(
        _ action: Disposition.DeviceAction, _ reason: String, _ way: String, _ requestedAt: WallTime
    ) -> DeviceChange? {
        switch action {
        case .none, .seen, .throttled: nil
        case .suspected: .suspected(reason: reason, under: way, unlessRegisteredSince: requestedAt)
        case .struck: .struck(reason: reason, unlessRegisteredSince: requestedAt)
        }
    }
}
