import Posix
import Testing

@testable import Queue

@Suite("Sharing a claim")
struct ClaimOrderTests {
    /// Candidates by due time in seconds; their ids are 100 times that, and one more for a retry.
    private func chosen(_ fresh: [Int64], _ retries: [Int64], limit: Int, oddIsRetry: Bool) -> [Int64] {
        func candidates(_ times: [Int64], _ extra: Int64) -> [ClaimOrder.Candidate] {
            times.map { ClaimOrder.Candidate(id: $0 * 100 + extra, due: WallTime(milliseconds: $0 * 1000)) }
        }
        return ClaimOrder.choose(
            fresh: candidates(fresh, 0), retries: candidates(retries, 1), limit: limit, oddIsRetry: oddIsRetry
        )
    }

    @Test(
        "Each kind gets half where both wait, whosever an odd place would be",
        arguments: [
            // With room for all, all of them by due time.
            ([1, 4], [2, 3], 4, [100, 201, 301, 400]), ([], [2], 4, [201]), ([1], [], 4, [100]),
            ([], [], 4, []),
            // A backlog of one kind takes nothing from the other, whichever is older.
            ([1, 2, 3, 4], [5, 6, 7], 4, [100, 200, 501, 601]),
            ([5, 6, 7], [1, 2, 3, 4], 4, [101, 201, 500, 600]),
            // What one kind doesn't need is the other's.
            ([1, 2, 3, 4], [5], 4, [100, 200, 300, 501]), ([5], [1, 2, 3, 4], 4, [101, 201, 301, 500]),
            ([1, 2, 3, 4], [], 2, [100, 200]), ([], [1, 2, 3, 4], 2, [101, 201]),
            ([2], [], 1, [200]), ([], [2], 1, [201]), ([1], [2], 0, []),
        ] as [([Int64], [Int64], Int, [Int64])])
    func shared(fresh: [Int64], retries: [Int64], limit: Int, expected: [Int64]) {
        #expect(chosen(fresh, retries, limit: limit, oddIsRetry: false) == expected)
        #expect(chosen(fresh, retries, limit: limit, oddIsRetry: true) == expected)
    }

    @Test(
        "An odd place is for the kind that is named, whichever is older",
        arguments: [
            ([1, 3, 9], [2, 4, 8], 3, [100, 201, 300], [100, 201, 401]),
            ([1], [2], 1, [100], [201]), ([2], [1], 1, [200], [101]),
        ] as [([Int64], [Int64], Int, [Int64], [Int64])])
    func odd(fresh: [Int64], retries: [Int64], limit: Int, withFresh: [Int64], withRetry: [Int64]) {
        #expect(chosen(fresh, retries, limit: limit, oddIsRetry: false) == withFresh)
        #expect(chosen(fresh, retries, limit: limit, oddIsRetry: true) == withRetry)
    }
}
