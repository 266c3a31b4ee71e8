public import Posix
internal import SQLite

extension QueueStore {
    /// Carries out what answers mean; tells what became of each, and which devices are gone or disabled by them.
    ///
    /// A delivery that is no longer as it was taken (ended, or due at another time) is left alone, and so is its
    /// device. Blame that its device has escaped by registering ends no delivery either.
    ///
    /// Devices that were doubted with reason are removed when all is carried out, so that answers of their own count.
    ///
    /// - Parameters:
    ///   - settlements: carried out in this order.
    ///   - now: the present.
    ///   - inHand: what dispatch has taken. A device that one of them is for isn't removed for a doubt yet.
    public func settle(_ settlements: [Settlement], now: WallTime, inHand: Set<Int64> = []) throws(QueueError)
        -> SettleReport
    {
        try writing { () throws(SQLiteError) in
            var report = SettleReport()
            var condemned: Set<Int64> = []
            for settlement in settlements {
                let outcome = try carryOut(settlement, now, &report, &condemned)
                try acquit(settlement.delivery)
                report.outcomes.append(outcome)
            }
            let unanswered = inHand.subtracting(settlements.map(\.delivery))
            report.removed += try burySuspects(condemned, excluding: unanswered, now: now)
            return report
        }
    }

    private func carryOut(
        _ settlement: Settlement, _ now: WallTime, _ report: inout SettleReport,
        _ condemned: inout Set<Int64>
    ) throws(SQLiteError) -> Settled {
        if case .ended(_, let reason, _) = settlement.outcome, try deviceHasEscaped(settlement, now) {
            var again = settlement
            again.outcome = .deferred(until: settlement.nextAttemptAt, charged: false, reason: reason)
            return try carryOutOutcome(of: again, now) ? .deviceKept : .someoneElseWasFaster
        }
        guard try carryOutOutcome(of: settlement, now) else { return .someoneElseWasFaster }
        if let change = settlement.deviceChange {
            try carryOut(change, ofDeviceOf: settlement.delivery, now, &report, &condemned)
        }
        return .done
    }

    /// Whether the device registered since the request that it is blamed for.
    ///
    /// A registration in the future (the clock went back) doesn't count: its delivery would be sent without end.
    private func deviceHasEscaped(_ settlement: Settlement, _ now: WallTime) throws(SQLiteError) -> Bool {
        guard let time = settlement.deviceChange?.unlessRegisteredSince else { return false }
        return try connection.first(
            """
            SELECT 1 FROM deliveries JOIN devices ON devices.id = device
            WHERE deliveries.id = ?1 AND registered_at BETWEEN ?2 AND ?3
            """, [.integer(settlement.delivery), Value(time), Value(now)]
        ) { _ in true } ?? false
    }

    /// Changes the row if it is as it was taken; tells whether it was.
    private func carryOutOutcome(of settlement: Settlement, _ now: WallTime) throws(SQLiteError) -> Bool {
        let guarded: [Value] = [
            .integer(settlement.delivery), Value(settlement.attempts), Value(settlement.nextAttemptAt),
            Value(Self.maximumCount),
        ]
        switch settlement.outcome {
        case .ended(let end, let reason, let successor):
            let attempt = end == .sent || end == .failed
            let ended = try connection.run(
                """
                UPDATE deliveries SET ended_at = ?5, end = ?6, attempts = ?2 + ?8, superseded_by = ?9,
                    reason = ?7 || CASE WHEN ?8 THEN '' ELSE ifnull(' after ' || reason, '') END
                WHERE id = ?1 AND ended_at IS NULL AND next_attempt_at = ?3
                    AND max(0, min(attempts, ?4)) = ?2
                """,
                guarded + [
                    Value(now), .text(end.rawValue), .text(bounded(reason)), .integer(attempt ? 1 : 0),
                    Value(successor),
                ])
            try count(end, reason, ended)
            return ended > 0
        case .deferred(let until, let charged, let reason):
            return try connection.run(
                """
                UPDATE deliveries SET next_attempt_at = ?5, reason = ?6, attempts = ?2 + ?7
                WHERE id = ?1 AND ended_at IS NULL AND next_attempt_at = ?3
                    AND max(0, min(attempts, ?4)) = ?2
                """,
                guarded + [Value(until.roundedUpToSecond), .text(bounded(reason)), .integer(charged ? 1 : 0)])
                > 0
        }
    }
}
