public import Posix
public import Queue

extension QueueStore {
    /// Fans out what waits at once, as dispatch does where no mail server is asked.
    @discardableResult
    public func fanOut(
        limit: Int, now: WallTime, excluding inHand: Set<Int64> = [], ceiling: Int = accountCeiling,
        deciding: (Notice, Recipients) -> FanOutDecision
    ) throws(QueueError) -> [FanOutDecision] {
        let waiting = try waiting(limit: limit, perAccount: limit, ceiling: ceiling)
        return try fanOut(
            waiting.map { LocatedNotice($0.notice) }, now: now, excluding: inHand, deciding: deciding)
    }
}
