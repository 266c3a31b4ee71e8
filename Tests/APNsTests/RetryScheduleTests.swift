import APNs
import Testing

@Suite("Retry schedule")
struct RetryScheduleTests {
    @Test(
        "The wait grows fourfold up to a quarter of an hour",
        arguments: [(1, 2), (2, 8), (3, 32), (4, 128), (5, 512), (6, 900), (7, 900), (Int.max, 900), (0, 2)])
    func growth(attempts: Int, seconds: Int) {
        #expect(RetrySchedule.delay(attempts: attempts, retryAfter: nil, jitter: 0) == .seconds(seconds))
    }

    @Test("Jitter takes off at most a half")
    func jitter() {
        #expect(RetrySchedule.delay(attempts: 3, retryAfter: nil, jitter: 1) == .seconds(16))
        #expect(RetrySchedule.delay(attempts: 3, retryAfter: nil, jitter: 0.5) == .seconds(24))
    }

    @Test(
        "Hazard 60: what a server asks for is kept between a second and an hour",
        arguments: [(0, 1), (1, 1), (42, 42), (99_999_999, 3600)])
    func retryAfter(asked: Int, seconds: Int) {
        let delay = RetrySchedule.delay(attempts: 1, retryAfter: .seconds(asked), jitter: 1)
        #expect(delay == .seconds(seconds))
    }
}
