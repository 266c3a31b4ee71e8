internal import Posix

/// Shares a claim between deliveries that wait for their first try and those that were tried before.
///
/// Where there isn't room for all, each kind gets half of it, so that a backlog of retries delays no new mail and
/// new mail no retry. Whose an odd place is, and all there is room for when that is one, the asker says, and each
/// time the other way: a lane has often room for one only.
enum ClaimOrder {
    /// A delivery that is due.
    struct Candidate: Equatable {
        let id: Int64
        let due: WallTime
    }

    /// Chooses from both kinds, each in order of due time and id, and gives that order.
    static func choose(fresh: [Candidate], retries: [Candidate], limit: Int, oddIsRetry: Bool)
        -> [Int64]
    {
        let half = limit / 2 + (oddIsRetry ? limit % 2 : 0)
        let retriesTaken = min(retries.count, max(half, limit - fresh.count))
        let chosen = fresh.prefix(max(0, limit - retriesTaken)) + retries.prefix(retriesTaken)
        return chosen.sorted { ($0.due, $0.id) < ($1.due, $1.id) }.map(\.id)
    }
}
