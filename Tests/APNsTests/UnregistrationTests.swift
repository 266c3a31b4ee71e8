import APNs
import Testing

@Suite("Moment of a 410")
struct UnregistrationTests {
    @Test(
        "Hazard 69: a 410 speaks of the moment it names, or of the moment of asking",
        arguments: [
            (1_790_000_000_000, 1_790_000_000_000), (nil, 1_790_000_100_000), (0, 1_790_000_100_000),
            (1_790_000_000, 1_790_000_100_000), (1_890_000_000_000, 1_790_000_100_000),
            (-5, 1_790_000_100_000), (Int64.max, 1_790_000_100_000),
        ] as [(Int64?, Int64)])
    func moment(timestamp: Int64?, expected: Int64) {
        #expect(Unregistration.moment(timestamp: timestamp, requestedAt: 1_790_000_100_000) == expected)
    }
}
