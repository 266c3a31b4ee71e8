internal import Posix

/// Shares a claim between deliveries that wait for their first try and those that were tried before.
///
/// Where there isn't room for all, each kind gets half of it, so that a backlog of retries delays no new mail and
/// new mail no retry; an odd place, and all there is room for when that is one, goes to whichever was due first.
enum ClaimOrder {
    /// A delivery that is due.
    struct Candidate: Equatable {
        let id: Int64
        let due: WallTime
    }

    /// Chooses from both kinds, each in order of due time and id, and gives that order.
    static func choose(fresh: [Candidate], retries: [Candidate], limit: Int) -> [Int64] {
        let half = limit / 2
        var retriesTaken = min(retries.count, max(half, limit - fresh.count))
        let isOdd = retriesTaken == half && 2 * half < limit && retriesTaken < retries.count
        if isOdd, half < fresh.count, isBefore(retries[half], fresh[half]) { retriesTaken += 1 }
        let chosen = fresh.prefix(max(0, limit - retriesTaken)) + retries.prefix(retriesTaken)
        return chosen.sorted(by: isBefore).map(\.id)
    }

    private static func isBefore(_ left: Candidate, _ right: Candidate) -> Bool {
        (left.due, left.id) < (right.due, right.id)
    }
}
